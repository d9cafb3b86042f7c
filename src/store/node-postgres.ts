import './stand-in-navigator.js';

/** The driver, loaded without what it looks for in other runtimes. The order of these lines is what does it. */
export { default } from 'pg';

import { forgetNavigator } from './stand-in-navigator.js';

forgetNavigator();
