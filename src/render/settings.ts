import { type Settings, setting } from '../kernel/index.js';

/** Where the content of typed emails comes from, and what it links to. */
export const renderSettings = {
  render: {
    sourceMode: setting.choice(['database', 'code'], {
      env: ['EMAIL_TEMPLATE_SOURCE'],
      default: 'database',
      says: 'Whether published overrides win over the templates in code (`database`) or are ignored (`code`).',
    }),
    appUrl: setting.text({
      env: ['APP_URL'],
      default: null,
      form: 'a URL starting with http:// or https://',
      fits: (url) => /^https?:\/\/[^\s/?#"'<>\\]+[^\s"'<>\\]*$/.test(url),
      says: "The application's address for links inside emails; without it that of the portal's brand.",
    }),
  },
} satisfies Settings;
