/**
 * For the thread of the embedded store: PGlite reads every text with a decoder that takes away a U+FEFF at its start,
 * so that what was written came back as another text. PostgreSQL gives back what it was given, and so does this.
 */
const Decoder = globalThis.TextDecoder;

globalThis.TextDecoder = class extends Decoder {
  constructor(label?: string, options?: ConstructorParameters<typeof Decoder>[1]) {
    super(label, { ignoreBOM: true, ...options });
  }
};
