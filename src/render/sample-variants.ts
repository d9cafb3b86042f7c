import type { EmailType } from './define-email.js';

/**
 * The type's samples, and each sample without each field that may be left out, and without all of them: a template that
 * shows them all does not fail on the first email that lacks one.
 */
export function sampleVariants(type: EmailType): unknown[] {
  return [type.sample, ...Object.values(type.moreSamples ?? {})].flatMap((sample) =>
    variantsOf(type, sample),
  );
}

function variantsOf(type: EmailType, sample: unknown): unknown[] {
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample)) return [sample];
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(sample).filter(([name]) => !names.includes(name)));
  const optional = Object.keys(sample).filter((name) => type.data.safeParse(without(name)).success);
  const fewer = [...optional.map((name) => without(name)), without(...optional)];
  return [sample, ...fewer.filter((variant) => type.data.safeParse(variant).success)];
}
