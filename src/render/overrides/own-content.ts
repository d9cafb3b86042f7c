import type { EmailType } from '../define-email.js';
import type { TemplateFiles } from '../template-files.js';
import type { TemplateContent } from './template-versions.js';

/**
 * What a type says in code, as an override would be written: the text one begins with who wants to say it otherwise.
 * It is the same in every language, since its texts are looked up by `{{t}}`.
 */
export function ownContent(type: EmailType, files: TemplateFiles): TemplateContent {
  if (type.content) {
    const { subject, html, text } = type.content;
    return { subject, htmlContent: html, textContent: text ?? null };
  }
  const path = `${type.portal}/${type.type}`;
  const whole = files.source(`${path}.html`) ?? '';
  const subject = SUBJECT.exec(whole)?.[1] ?? '';
  return {
    subject: subject.trim(),
    htmlContent: whole.replace(SUBJECT, '').trimStart(),
    textContent: files.source(`${path}.txt`) ?? null,
  };
}

const SUBJECT = /\{\{#subject\}\}([\s\S]*?)\{\{\/subject\}\}\s*/;
