/** The Content-Disposition of a file that is saved and never shown, under its own name as RFC 8187 writes it. */
export function downloadAs(filename: string): string {
  // What encodeURIComponent leaves as it is and a header parameter must not hold.
  const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return `attachment; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, percent)}`;
}
