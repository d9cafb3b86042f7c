/** Every named place of the journey; the inbox's own are tried beside it. */
export const JOURNEY_PLACES = [
  'lease:registered',
  'takeover:before',
  'takeover:after',
  'intake:before-write',
  'intake:written',
  'worker:claimed',
  'worker:opened',
  'attempt:before-send',
  'smtp:before-dot',
  'smtp:after-dot',
  'smtp:reply',
  'sweep:promoted',
  'attempt:after-send',
  'settle:before',
  'settle:after',
];

/** What an engine over a broker adds. */
export const BELL_PLACES = ['relay:rung', 'relay:published', 'bells:settled', 'bells:ended'];
