/** Older and newest, under a list that is read page by page; the browser's Back goes to the page before. */
import { Button, Group } from '@mantine/core';
import { Icon } from './icon.js';

export interface PageTurnerProps {
  /** The cursor of this page; undefined on the first. */
  current: string | undefined;
  next: string | null | undefined;
  onTurn(cursor: string | null): void;
}

export function PageTurner({ current, next, onTurn }: PageTurnerProps) {
  if (!next && current === undefined) return null;
  return (
    <Group justify="flex-end" gap="sm" mt="sm">
      {current !== undefined && (
        <Button variant="default" size="sm" onClick={() => onTurn(null)}>
          First page
        </Button>
      )}
      <Button
        variant="default"
        size="sm"
        disabled={!next}
        rightSection={<Icon name="chevron" size={14} />}
        onClick={() => onTurn(next ?? null)}
      >
        Next page
      </Button>
    </Group>
  );
}
