import type { ReservedName } from '../kernel/index.js';

/** Names kept for what templates put into emails. */
export const renderReserved: readonly ReservedName[] = [
  { name: 'APP_URL', controls: "The application's address, used in links inside emails." },
];
