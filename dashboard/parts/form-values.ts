/** What stands in the fields of a form, as the API wants it said. */
export function textOf(form: FormData, name: string): string {
  return exactOf(form, name).trim();
}

/** To the letter, as passwords are. */
export function exactOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** An empty field is left out, so that the API takes its default. */
export function given(form: FormData, ...names: readonly string[]): Record<string, string> {
  const said = names.map((name) => [name, textOf(form, name)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== ''));
}

/** Words with commas, spaces or line breaks between them; null where there are none. */
export function wordsOf(form: FormData, name: string): string[] | null {
  const words = textOf(form, name)
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
  return words.length > 0 ? words : null;
}

/** As typed where it is no number, so that the API names the field it refuses. */
export function numberOf(form: FormData, name: string): number | string | null {
  const text = textOf(form, name);
  if (text === '') return null;
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
