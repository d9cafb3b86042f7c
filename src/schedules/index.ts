export { scheduleReserved } from './settings.js';
