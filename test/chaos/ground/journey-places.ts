/** Passed only while a process starts, the last two beside the rows of a dead worker. */
export const START_PLACES = ['lease:registered', 'takeover:before', 'takeover:after'];

/** Every named place of the journey, those that need a longer run first; the inbox's own are tried beside it. */
export const JOURNEY_PLACES = [
  'sweep:promoted',
  ...START_PLACES,
  'intake:before-write',
  'intake:written',
  'worker:claimed',
  'worker:opened',
  'attempt:before-send',
  'attempt:begun',
  'smtp:before-dot',
  'smtp:after-dot',
  'smtp:reply',
  'attempt:after-send',
  'settle:before',
  'settle:after',
];

/** What an engine over a broker adds. */
export const BELL_PLACES = ['relay:rung', 'relay:published', 'bells:settled', 'bells:ended'];
