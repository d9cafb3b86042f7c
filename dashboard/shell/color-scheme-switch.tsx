/** Light, dark, or as the system has it; remembered in this browser. */
import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../parts/icon.js';

const SCHEMES: ReadonlyArray<[MantineColorScheme, string, IconName]> = [
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
  ['auto', 'As the system', 'screen'],
];

export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [, name, icon] = SCHEMES.find(([scheme]) => scheme === colorScheme) ?? SCHEMES[2]!;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Appearance: ${name}`}>
          <Icon name={icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, label, picture]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={picture} size={16} />}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
