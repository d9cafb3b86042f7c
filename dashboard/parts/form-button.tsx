/**
 * A button that opens a small form. What the API refuses is said above the buttons and the form stays filled; what is
 * answered once and never again, such as a new key, is shown in its place.
 */
import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';
import { Icon, type IconName } from './icon.js';

export interface FormButtonProps<Result> extends Pick<ButtonProps, 'size'> {
  label: string;
  /** What the page is mostly for. */
  main?: boolean;
  icon?: IconName;
  title: string;
  /** The fields, each with a name. */
  children: ReactNode;
  submitLabel?: string;
  act(form: FormData): Promise<Result>;
  onDone?(result: Result): void;
  /** What to show of the answer; without it the form closes. */
  reveal?(result: Result): ReactNode;
}

export function FormButton<Result>(props: FormButtonProps<Result>) {
  const { label, icon, title, children, submitLabel = label, act, onDone, reveal } = props;
  const [opened, { open, close }] = useDisclosure(false);
  const acting = useMutation({
    mutationFn: act,
    onSuccess: (result) => {
      if (!reveal) close();
      onDone?.(result);
    },
  });
  const begin = () => {
    acting.reset();
    open();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    acting.mutate(new FormData(event.currentTarget));
  };
  const revealed = acting.isSuccess && reveal ? reveal(acting.data) : null;
  return (
    <>
      <Button
        size={props.size ?? 'sm'}
        // A variant that is named takes the letters' colour of the light scheme; unnamed it is filled and fits both.
        {...(!props.main && { variant: 'default' })}
        leftSection={icon && <Icon name={icon} size={16} />}
        onClick={begin}
      >
        {label}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': 'Close' }}
        // What is shown once must not vanish by a slip of the mouse.
        closeOnClickOutside={revealed === null}
      >
        {revealed !== null ? (
          <Stack gap="md">
            {revealed}
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          </Stack>
        ) : (
          <form onSubmit={submit}>
            <Stack gap="sm">
              {children}
              {acting.error && <ErrorNotice error={acting.error} />}
              <Group justify="flex-end" gap="sm" mt="xs">
                <Button variant="default" onClick={close}>
                  Leave it
                </Button>
                <Button type="submit" loading={acting.isPending}>
                  {submitLabel}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Modal>
    </>
  );
}
