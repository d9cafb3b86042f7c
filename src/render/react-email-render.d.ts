/** The part of the optional package that is used; it is loaded when an element is sent. */
declare module '@react-email/render' {
  export function render(element: unknown, options?: { plainText?: boolean }): string | Promise<string>;
}
