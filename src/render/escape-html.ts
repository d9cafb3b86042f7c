/** Text as it stands in HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (character) => ESCAPES[character]!) : text;
}

const SPECIAL = /[&<>"']/;
const EACH_SPECIAL = /[&<>"']/g;
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
