import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { feedPast } from '../../pages/support/counted.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSoundIn, type View } from '../../pages/support/states.ts'
import { startMailServer } from '../../support/mail-server.ts'

const hostile = `<img src=x onerror=alert(1)> \u202Eمتر 🗺️ ${'W'.repeat(150)}`

/** Another server that is listed but not polled. */
const remote = {
  type: 'mapserver',
  host: 'localhost',
  url: 'http://127.0.0.1:9',
  active: false,
  source: { kind: 'geoserver-monitor', url: 'http://127.0.0.1:9', user: 'reader', password: 'secret' },
}

describe('states of the page of alerts', async () => {
  const mails = await startMailServer({ after })
  const server = await startPageServer({ after }, { TERRANE_SMTP_URL: mails.url })
  after(closeBrowser)
  const now = Date.now()
  await feedPast(server, {
    requests: Array.from({ length: 120 }, (_, at) => ({ time: now - (at + 2) * 600_000, more: {} })),
  })

  it('offers of thousands of layers those that have what is typed, and of a hundred servers each', async (t) => {
    const used = Array.from({ length: 3000 }, (_, at) => ({
      time: now - 86_400_000 - (at % 60) * 60_000,
      more: { resources: [{ type: 'layer' as const, name: `many:layer ${at} ${at === 7 ? hostile : ''}` }] },
    }))
    await feedPast(server, { requests: used })
    for (let at = 0; at < 100; at += 1)
      await askServer(server, '/monitoring/api/services', {
        service: { ...remote, name: `map server ${at}` },
      })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/alerts/new')
    await page.getByLabel('What is compared').selectOption('request.count')
    const field = page.getByLabel('Layer: Requests')
    const offered = page.locator('datalist option')
    await field.fill('LAYER 299')
    const names = await page.evaluate<string[]>(
      '[...document.querySelectorAll("datalist option")].map((one) => one.value)',
    )
    assert.deepEqual(
      names.sort(),
      [299, ...Array.from({ length: 10 }, (_, at) => 2990 + at)]
        .map((one) => `layer=many:layer ${one} `)
        .sort(),
    )
    await field.fill('layer')
    assert.equal(await offered.count(), 50)
    await page.getByLabel('Server: Requests').selectOption('map server 99')
    await expectSoundIn(shown, 'alerts-many', [
      [1440, 'light'],
      [390, 'dark'],
    ])
  })

  it('is whole at each width, light and dark', async (t) => {
    const views: View[] = [
      [1440, 'dark'],
      [768, 'light'],
      [390, 'dark'],
    ]
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn('/app/alerts')
    await shown.page.waitForSelector('.alist a')
    await expectSoundIn(shown, 'alerts-list', views)
    await shown.page.click('.alist a >> nth=0')
    await shown.page.waitForSelector('.sentence')
    await expectSoundIn(shown, 'alerts-one', views)
  })
})
