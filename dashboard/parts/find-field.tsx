/** A field that goes somewhere on Enter or by its button, and is empty again. */
import { ActionIcon, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Icon } from './icon.js';

export interface FindFieldProps {
  label: string;
  placeholder: string;
  onFind(text: string): void;
}

export function FindField({ label, placeholder, onFind }: FindFieldProps) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === '') return;
    onFind(typed.trim());
    setTyped('');
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" aria-label={label}>
            <Icon name="search" size={16} />
          </ActionIcon>
        }
      />
    </form>
  );
}
