/** How often one recipient may get a type of email, and how many emails a company may send. */
import { Stack } from '@mantine/core';
import { PageHeader } from '../parts/page-header.js';
import { CheckRecipient } from './limits/check-recipient.js';
import { QuotaSheet } from './limits/quota-sheet.js';
import { RateLimitSheet } from './limits/rate-limit-sheet.js';

export default function LimitsPage() {
  return (
    <Stack gap="md">
      <PageHeader
        title="Rate limits"
        says="What is over a limit is refused at the door with the time to come back; nothing of it is queued."
      >
        <CheckRecipient />
      </PageHeader>
      <RateLimitSheet />
      <QuotaSheet />
    </Stack>
  );
}
