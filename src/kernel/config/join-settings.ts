import { isSetting, type Setting, type Settings } from './setting.js';

/**
 * Joins what the rooms declare into one tree; several rooms may add to one group.
 * Refuses two settings under one key and two settings reading one variable.
 */
export function joinSettings<const Rooms extends readonly Settings[]>(...rooms: Rooms): Joined<Rooms> {
  const joined: Record<string, Setting<unknown> | Record<string, Setting<unknown>>> = {};
  const variables = new Set<string>();
  const readBy = (setting: Setting<unknown>) => {
    for (const { name } of setting.env) {
      if (variables.has(name)) throw new Error(`${name} is read by two settings`);
      variables.add(name);
    }
  };
  for (const room of rooms)
    for (const [key, declared] of Object.entries(room)) {
      if (isSetting(declared)) {
        if (Object.hasOwn(joined, key)) throw new Error(`${key} is declared twice`);
        joined[key] = declared;
        readBy(declared);
        continue;
      }
      joined[key] ??= {};
      const group = joined[key];
      if (isSetting(group)) throw new Error(`${key} is declared twice`);
      for (const [name, setting] of Object.entries(declared)) {
        if (Object.hasOwn(group, name)) throw new Error(`${key}.${name} is declared twice`);
        group[name] = setting;
        readBy(setting);
      }
    }
  return joined as Joined<Rooms>;
}

type Joined<Rooms extends readonly Settings[]> = Rooms extends readonly [
  infer First extends Settings,
  ...infer Rest extends readonly Settings[],
]
  ? Rest extends readonly []
    ? First
    : First & Joined<Rest>
  : never;
