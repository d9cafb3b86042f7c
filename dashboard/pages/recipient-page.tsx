/** One person: what is known of them, what they want, and why they may not be written to. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { Recipient, Suppression } from '../../src/recipients/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { CopyText } from '../parts/copy-text.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Facts } from '../parts/facts.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { usePathPart } from '../parts/use-path-part.js';
import { useUrlState } from '../parts/use-url-state.js';
import { RemoveSuppression, Suppress } from './recipients/suppression-acts.js';

export default function RecipientPage() {
  const person = usePathPart('person');
  const [{ companyId }] = useUrlState(['companyId']);
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const path = `/v1/recipients/${encodeURIComponent(person)}`;
  const found = useQuery({
    queryKey: ['recipient', person, companyId ?? ''],
    queryFn: ({ signal }) => callApi<Recipient>('GET', path, { query: { companyId }, signal }),
  });
  const suppressions = useQuery({
    queryKey: ['suppressions-of', found.data?.email, companyId ?? ''],
    enabled: found.data !== undefined,
    queryFn: ({ signal }) =>
      callApi<{ suppressions: Suppression[] }>(
        'GET',
        `/v1/suppressions/${encodeURIComponent(found.data!.email)}`,
        { query: { companyId }, signal },
      ),
  });
  const again = () => {
    for (const key of ['recipient', 'recipients', 'suppressions-of', 'suppressions'])
      queries.invalidateQueries({ queryKey: [key] });
  };
  if (found.error || !found.data)
    return (
      <>
        <PageHeader title="Recipient" />
        {found.error && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      </>
    );
  const { email, name } = found.data;
  const mayAct = session.may('operate');
  const back = `/recipients${companyId ? `?companyId=${encodeURIComponent(companyId)}` : ''}`;
  return (
    <Stack gap="md">
      <PageHeader title={name ?? email} says={<span className="break">{email}</span>}>
        <Anchor component={Link} href={`/emails?recipient=${encodeURIComponent(email)}`} size="sm">
          Their emails
        </Anchor>
        {mayAct && (
          <ConfirmButton
            label="Remove"
            icon="trash"
            title={`Remove ${email}?`}
            danger
            act={() => callApi('DELETE', path, { query: { companyId } })}
            onDone={() => {
              again();
              navigate(back);
            }}
          >
            They are hidden from lists and campaigns, and mail to them by id is refused. What was sent stays
            in the log.
          </ConfirmButton>
        )}
        {session.may('administer') && (
          <ConfirmButton
            label="Erase"
            icon="trash"
            title={`Erase ${email} everywhere?`}
            danger
            mustAccept="I know that this cannot be undone."
            act={() =>
              callApi('POST', '/admin/erasures', { body: { email, companyId: found.data.companyId } })
            }
            onDone={() => {
              again();
              navigate(back);
            }}
          >
            The person, their emails' addresses and contents, deliveries and counts go. A suppression stays as
            a hash, so that they are not written to again.
          </ConfirmButton>
        )}
      </PageHeader>
      <Sheet>
        <Known person={found.data} />
      </Sheet>
      <Sheet
        title="Why not to write"
        aside={mayAct && <Suppress email={email} companyId={companyId} onDone={again} />}
      >
        {suppressions.error && (
          <ErrorNotice error={suppressions.error} onRetry={() => suppressions.refetch()} />
        )}
        {suppressions.data?.suppressions.length === 0 && (
          <Text c="dimmed">Nothing stands against writing to this address.</Text>
        )}
        <Stack gap="xs">
          {suppressions.data?.suppressions.map((entry) => (
            <Group key={`${entry.reason} ${entry.category ?? ''}`} gap="md">
              <StatusBadge status="suppressed" tone="wait" label={entry.reason} />
              <Text size="sm" className="break">
                {[entry.category, entry.note].filter(Boolean).join(' · ')}
              </Text>
              <TimeText at={entry.createdAt} />
              {mayAct && <RemoveSuppression entry={{ ...entry, email }} onDone={again} />}
            </Group>
          ))}
        </Stack>
      </Sheet>
      {Object.keys(found.data.attributes).length > 0 && (
        <Sheet title="Attributes">
          <pre className="source">{JSON.stringify(found.data.attributes, null, 2)}</pre>
        </Sheet>
      )}
    </Stack>
  );
}

function Known({ person }: { person: Recipient }) {
  const wishes = Object.entries(person.preferences).map(
    ([name, wanted]) => `${name}: ${wanted ? 'yes' : 'no'}`,
  );
  return (
    <Facts
      facts={[
        ['Status', <StatusBadge key="status" status={person.status} />],
        ['Company', person.companyId],
        ['Own id', person.externalId],
        ['Language', person.language],
        ['Time zone', person.timeZone],
        ['Kind of account', person.accountType],
        ['Wants', wishes.join(', ')],
        ['Last active', person.lastActiveAt && <TimeText key="active" at={person.lastActiveAt} />],
        ['Last check-in', person.lastCheckInAt && <TimeText key="check" at={person.lastCheckInAt} />],
        ['Days in a row', String(person.streakDays)],
        ['Reminders', person.reminderFrequency],
        [
          'Last reminder',
          person.lastReminderSentAt && <TimeText key="last" at={person.lastReminderSentAt} />,
        ],
        ['Since', <TimeText key="since" at={person.createdAt} />],
        ['Id', <CopyText key="id" value={person.recipientId} label="the id" />],
      ]}
    />
  );
}
