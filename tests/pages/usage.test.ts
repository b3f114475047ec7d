import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { feedPast } from './support/counted.ts'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

describe('the page of usage', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  await feedPast(server, pastDays())

  it('tells a sentence, a series and rankings', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/app/usage')
    await shown.page.waitForSelector('.plot canvas')
    await shown.page.waitForSelector('.rank >> text=default:countries')
    await expectSound(shown, 'usage-1440')
    assert.match(await shown.page.locator('.lead').innerText(), /requests today/)
  })
})

const dayMs = 86_400_000

function pastDays() {
  const requests = []
  const now = Date.now()
  for (let day = 1; day < 65; day += 1)
    for (let at = 0; at < 20 + ((day * 7) % 23); at += 1)
      requests.push({
        time: now - day * dayMs + at * 1_500_000,
        more: {
          resources: [
            { type: 'layer' as const, name: at % 3 === 0 ? 'default:countries' : 'default:boundary_lines' },
          ],
          status: at % 11 === 0 ? 503 : 200,
          errorType: at % 11 === 0 ? 'StoreAway' : null,
          country: at % 2 === 0 ? 'CHE' : 'DEU',
          userAgentFamily: at % 5 === 0 ? 'QGIS' : 'Firefox',
        },
      })
  return { requests, readings: [now - 40 * dayMs, now - 3 * dayMs] }
}
