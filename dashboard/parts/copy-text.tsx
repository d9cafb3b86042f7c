/** An id or a key in a code face with a button that copies it. */
import { ActionIcon, CopyButton, Group, Text } from '@mantine/core';
import { Icon } from './icon.js';

export function CopyText({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" className="copy-text">
      <Text ff="monospace" size="sm" className="break">
        {value}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${label}`}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
