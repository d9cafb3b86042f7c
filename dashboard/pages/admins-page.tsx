/** The accounts of those who operate Postrider, and what each may do. */
import { Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { Admin } from '../../src/access/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FormButton } from '../parts/form-button.js';
import { exactOf, given } from '../parts/form-values.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';

export default function AdminsPage() {
  const { answer, asked, again } = useList<{ admins: Admin[] }>('admins', '/admin/admins');
  return (
    <>
      <PageHeader
        title="Operators"
        says="Who may sign in here. Viewers look, operators also run the system, admins also decide who may do what."
      >
        <FormButton
          label="Add an account"
          icon="plus"
          main
          title="Add an account"
          act={(form) =>
            callApi('POST', '/admin/admins', {
              body: { ...given(form, 'email', 'name', 'role'), password: exactOf(form, 'password') },
            })
          }
          onDone={again}
        >
          <TextInput name="email" type="email" label="Email" autoComplete="off" required data-autofocus />
          <TextInput name="name" label="Name" autoComplete="off" />
          <Role value="viewer" />
          <Password label="Password" />
        </FormButton>
      </PageHeader>
      <Sheet flush>
        <DataTable
          label="Operators"
          rows={answer?.admins}
          {...asked}
          keyOf={({ id }) => id}
          minWidth={720}
          columns={[
            { name: 'Who', cell: (admin) => <Who {...admin} /> },
            { name: 'Role', cell: ({ role }) => role },
            {
              name: 'Last sign-in',
              cell: ({ lastSignInAt }) => lastSignInAt && <TimeText at={lastSignInAt} />,
            },
            {
              name: 'State',
              cell: ({ disabledAt }) => <StatusBadge status={disabledAt ? 'disabled' : 'active'} />,
            },
            { name: 'Change', cell: (admin) => <Change admin={admin} onDone={again} /> },
          ]}
          empty={
            <EmptyState icon="people" title="No account yet">
              The first is made here or with postrider admin create, and is an admin.
            </EmptyState>
          }
        />
      </Sheet>
    </>
  );
}

function Who({ name, email }: Admin) {
  const { email: own } = useSession();
  return (
    <Stack gap={0}>
      <Text fw={600} size="sm" className="break">
        {name}
        {own === email && ' (you)'}
      </Text>
      <Text size="sm" c="dimmed" className="break">
        {email}
      </Text>
    </Stack>
  );
}

function Role({ value }: { value: Admin['role'] }) {
  return (
    <NativeSelect
      name="role"
      label="Role"
      defaultValue={value}
      data={[
        { value: 'viewer', label: 'Viewer: looks' },
        { value: 'operator', label: 'Operator: also runs the system' },
        { value: 'admin', label: 'Admin: also decides who may do what' },
      ]}
    />
  );
}

function Password({ label }: { label: string }) {
  return (
    <PasswordInput
      name="password"
      label={label}
      description="At least twelve characters; several words are easy to keep."
      autoComplete="new-password"
      required
    />
  );
}

function Change({ admin, onDone }: { admin: Admin; onDone(): void }) {
  const { id, name, email, role, disabledAt } = admin;
  const patch = (body: object) => callApi('PATCH', `/admin/admins/${id}`, { body });
  return (
    <Group gap="xs" wrap="nowrap">
      <FormButton
        label="Edit"
        size="compact-sm"
        title={`Change ${email}`}
        submitLabel="Save"
        act={(form) => patch(given(form, 'name', 'role'))}
        onDone={onDone}
      >
        <TextInput name="name" label="Name" defaultValue={name} autoComplete="off" data-autofocus />
        <Role value={role} />
      </FormButton>
      <FormButton
        label="Password"
        size="compact-sm"
        title={`A new password for ${email}`}
        submitLabel="Set it"
        act={(form) => patch({ password: exactOf(form, 'password') })}
        onDone={onDone}
      >
        <Password label="New password" />
      </FormButton>
      <ConfirmButton
        label={disabledAt ? 'Enable' : 'Disable'}
        size="compact-sm"
        title={disabledAt ? `Enable ${email}?` : `Disable ${email}?`}
        danger={!disabledAt}
        act={() => patch({ disabled: !disabledAt })}
        onDone={onDone}
      >
        {disabledAt ? 'They may sign in again.' : 'They are signed out everywhere and cannot sign in.'}
      </ConfirmButton>
    </Group>
  );
}
