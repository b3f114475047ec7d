import { it } from 'node:test'
import { serveCoverages } from '../../support/coverages.ts'
import { sendStrangeRequests } from '../../support/strange-coverage-requests.ts'

it('WCS answers thousands of strange requests without a fault, and leaves nothing behind', async (t) => {
  await sendStrangeRequests(await serveCoverages(t), 1500)
})
