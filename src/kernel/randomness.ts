/** The only source of randomness besides ids; jitter takes it as a parameter. */
export type Randomness = () => number;

export const systemRandomness: Randomness = () => Math.random();
