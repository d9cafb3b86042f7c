/** A filter one types: it holds once it is left or Enter is pressed, so that half a word asks nothing. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

export interface FilterFieldProps extends Pick<TextInputProps, 'placeholder' | 'w' | 'type' | 'leftSection'> {
  label: string;
  value: string | undefined;
  onChange(value: string | null): void;
}

export function FilterField(props: FilterFieldProps) {
  // Going back in the browser brings another value, which must replace what was typed.
  return <Field key={props.value ?? ''} {...props} />;
}

function Field({ value = '', onChange, ...look }: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  const choose = () => {
    if (typed.trim() !== value) onChange(typed.trim() || null);
  };
  return (
    <TextInput
      {...look}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose();
      }}
    />
  );
}
