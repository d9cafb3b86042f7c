import { type Settings, setting } from '../kernel/index.js';
import { type ParsedBrand, parseBrands, showBrands } from './brands/parse-brands.js';

/** Where the content of typed emails comes from, and what it links to. */
export const renderSettings = {
  brands: setting.structure<readonly ParsedBrand[]>({
    env: ['POSTRIDER_BRANDS'],
    default: null,
    form: 'a list of brands',
    secret: false,
    says: 'Name, logo, colours and footer of emails, for all, a portal or a company; see CONTENT.md.',
    parse: parseBrands,
    show: showBrands,
  }),
  render: {
    sourceMode: setting.choice(['database', 'code'], {
      env: ['EMAIL_TEMPLATE_SOURCE'],
      default: 'database',
      says: 'Whether published overrides win over the templates in code (`database`) or are ignored (`code`).',
    }),
    types: setting.text({
      env: ['POSTRIDER_TYPES'],
      default: null,
      form: 'the path of a JavaScript module',
      says: "A module that exports the application's own types, for `postrider` commands; in code, give `types`.",
    }),
    appUrl: setting.text({
      env: ['APP_URL'],
      default: null,
      form: 'a URL starting with http:// or https://',
      fits: (url) => /^https?:\/\/[^\s/?#"'<>\\][^\s"'<>\\]*$/.test(url),
      says: "The application's address for links inside emails; without it that of the portal's brand.",
    }),
  },
} satisfies Settings;
