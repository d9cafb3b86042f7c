/**
 * A button that asks before it acts: what will happen, in words, with a refusal of the API shown in the same place.
 * Where more is at stake a sentence has to be ticked before it can be confirmed.
 */
import { Button, type ButtonProps, Checkbox, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorNotice } from './error-notice.js';
import { Icon, type IconName } from './icon.js';

export interface ConfirmButtonProps extends Pick<ButtonProps, 'size' | 'disabled' | 'variant'> {
  label: string;
  icon?: IconName;
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** Has to be ticked, such as that a duplicate is accepted. */
  mustAccept?: string | undefined;
  confirmLabel?: string;
  danger?: boolean;
  act(): Promise<unknown>;
  onDone?(): void;
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const {
    label,
    icon,
    title,
    children,
    mustAccept,
    confirmLabel = label,
    danger = false,
    act,
    onDone,
  } = props;
  const [opened, { open, close }] = useDisclosure(false);
  const [accepted, setAccepted] = useState(false);
  const acting = useMutation({
    mutationFn: act,
    onSuccess: () => {
      close();
      onDone?.();
    },
  });
  const begin = () => {
    acting.reset();
    setAccepted(false);
    open();
  };
  return (
    <>
      <Button
        size={props.size ?? 'sm'}
        variant={props.variant ?? 'default'}
        disabled={props.disabled ?? false}
        leftSection={icon && <Icon name={icon} size={16} />}
        onClick={begin}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="md">
          <div>{children}</div>
          {mustAccept !== undefined && (
            <Checkbox
              label={mustAccept}
              checked={accepted}
              onChange={(event) => setAccepted(event.currentTarget.checked)}
            />
          )}
          {acting.error && <ErrorNotice error={acting.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Leave it
            </Button>
            <Button
              {...(danger && { className: 'button-bad' })}
              loading={acting.isPending}
              disabled={mustAccept !== undefined && !accepted}
              onClick={() => acting.mutate()}
            >
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
