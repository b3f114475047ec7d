import { after, describe } from 'node:test'
import { checkPages, otherPages } from '../../pages/support/every-page.ts'
import { closeBrowser, startPageServer } from '../../pages/support/shown-pages.ts'

describe('every page', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  checkPages(server, otherPages)
})
