export { type ConfigProblem, describeProblem, invalidConfig } from './config-problem.js';
export { didYouMean } from './did-you-mean.js';
export { type Environment, environment } from './environment.js';
export { type Explanation, explain, explainedAs, withChanges } from './explain.js';
export { joinSettings } from './join-settings.js';
export { kernelSettings } from './kernel-settings.js';
export { readConfigFile } from './read-config-file.js';
export { resolveSettings } from './resolve-settings.js';
export {
  Derived,
  type OverridesOf,
  type Parsed,
  type Setting,
  type SettingGroup,
  type SettingRule,
  type Settings,
  type ValuesOf,
} from './setting.js';
export * as setting from './setting-kinds.js';
export { settingsDocument } from './settings-document.js';
