import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { feedPast } from '../../pages/support/counted.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn, type View } from '../../pages/support/states.ts'

const views: readonly View[] = [
  [1440, 'light'],
  [1440, 'dark'],
  [768, 'light'],
  [768, 'dark'],
  [390, 'light'],
  [390, 'dark'],
]

describe('the page of the usage report', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('shows rows, the total once, the comparison and unused layers, in both languages, at every width and in both themes', async (t) => {
    const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 5, 10))
    const before = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() - 1, 5, 10))
    const used = (name: string) => ({
      resources: [{ type: 'layer' as const, name }],
      usageClass: 'downloads' as const,
    })
    await feedPast(server, {
      requests: [
        ...Array.from({ length: 12 }, (_, at) => ({
          time: month.getTime() + at * 1000,
          more: used('default:countries'),
        })),
        {
          time: month.getTime(),
          more: { ...used('elsewhere:a layer that is gone'), kind: 'robots' as const },
        },
        { time: before.getTime(), more: used('default:countries') },
        // Counting begins with the month before.
        { time: Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1), more: {} },
      ],
    })
    const shown = await showPages(t, server)
    await shown.signIn('/app/usage/report')
    await shown.page.locator('.report-table tbody tr').first().waitFor()
    const cells = await shown.page
      .locator('.report-table tbody tr')
      .first()
      .locator('th,td')
      .allTextContents()
    assert.deepEqual(cells.slice(1, 4), ['12', '1', '12'])
    assert.equal(await shown.page.locator('.report-table tfoot tr').count(), 1)
    assert.match((await shown.page.locator('.report-table tfoot').textContent()) ?? '', /Total13/)
    assert.match((await shown.page.locator('main').textContent()) ?? '', /rows do not add up to the total/)
    assert.ok((await shown.page.getByRole('region', { name: 'Layers without a request' }).count()) > 0)
    await expectSoundIn(shown, 'usage-report-en', views)
    await shown.page.getByLabel('Group by').selectOption('day')
    await shown.page
      .locator('.report-table tbody th', { hasText: month.toISOString().slice(0, 10) })
      .waitFor()
    assert.match(shown.page.url(), /by=day/)
    const german = await showPages(t, server, { locale: 'de' })
    await german.signIn('/app/usage/report?by=day')
    await german.page.getByRole('heading', { name: /Zugriffsstatistik/ }).waitFor()
    await german.page.locator('.report-table tbody tr').first().waitFor()
    await expectSoundIn(german, 'usage-report-de', views)
    assert.deepEqual(german.faults, [])
    await shown.page.emulateMedia({ media: 'print' })
    assert.equal(await shown.page.locator('.report-choices').isVisible(), false)
    assert.deepEqual(shown.faults, [])
  })
})
