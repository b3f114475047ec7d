import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Fed } from '../../pages/support/counted.ts'
import { feedPast } from '../../pages/support/counted.ts'
import {
  askServer,
  closeBrowser,
  password,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'
import { requestAt } from '../../support/fed-monitoring.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const hostile = `default:<img src=x onerror=alert(1)>\u202Eمتر🗺️${'W'.repeat(300)}`
const layers = ['default:countries', 'default:boundary_lines', 'default:boundary_lines', hostile]

interface Data {
  data: { data: { data: { val: string; label?: string }[] }[] }
}

describe('the page of usage', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  const fedAt = Date.now()
  await feedPast(server, pastDays(fedAt))

  async function sumOf(metric: string, from: number, to: number, more = ''): Promise<number> {
    const window = `valid_from=${new Date(from).toISOString()}&valid_to=${new Date(to).toISOString()}`
    const path = `/monitoring/api/metric_data/${metric}?${window}&interval=${(to - from) / 1000}&align=start${more}`
    const { data } = (await askServer(server, path)) as Data
    return (data.data[0]?.data ?? []).reduce((sum, { val }) => sum + Number(val), 0)
  }

  /** Rows of the table of days that end with today, against REST. */
  async function expectDays(cells: readonly string[][], today: number): Promise<void> {
    assert.equal(cells.length, 30)
    for (const daysAgo of [1, 7, 29]) {
      const from = today - daysAgo * dayMs
      const [, now, before] = cells.at(-1 - daysAgo) ?? []
      assert.equal(Number(now), await sumOf('request.count', from, from + dayMs))
      assert.equal(Number(before), await sumOf('request.count', from - 30 * dayMs, from - 29 * dayMs))
    }
  }

  it('tells the numbers of REST: in its sentence, its chart, its rankings and its file', async (t) => {
    const shown = await showPages(t, server, { now: fedAt })
    const { page } = shown
    const requested = page.waitForResponse(/\/rest\/state\?zone=UTC/)
    await shown.signIn('/app/usage')
    await page.waitForSelector('.plot canvas')
    await page.waitForSelector('.rank >> text=default:countries')
    const { state } = (await (await requested).json()) as {
      state: { requests: { today: { requests: number; failed: number } } }
    }
    const lead = await page.locator('.lead').innerText()
    assert.match(lead, new RegExp(`^${state.requests.today.requests} requests? today`))
    await page.getByRole('button', { name: 'Requests a day, as a table' }).click()
    const cells = await tableCells(page)
    await expectDays(cells, Math.floor(fedAt / dayMs) * dayMs)
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Requests a day, as CSV' }).click()
    const lines = readFileSync(await (await waiting).path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 31)
    assert.equal(lines[1]?.split(',')[2], cells[0]?.[1])
    const picture = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Layers, as PNG' }).click()
    assert.deepEqual([...readFileSync(await (await picture).path()).subarray(1, 4)], [...Buffer.from('PNG')])
    await page.getByRole('button', { name: 'Requests a day, as a table' }).click()
    await expectSound(shown, 'usage-1440')
  })

  it('has 30 days and the 30 before them at every time of day', async (t) => {
    const yesterday = Math.floor(fedAt / dayMs) * dayMs - dayMs
    const { page, ...shown } = await showPages(t, server, { now: yesterday })
    await shown.signIn('/app/usage')
    for (const minutes of [0, 1, 14, 720, 1439]) {
      await page.clock.setFixedTime(yesterday + minutes * 60_000 + 20_000)
      await page.reload()
      await page.getByRole('button', { name: 'Requests a day, as a table' }).click()
      await expectDays(await tableCells(page), yesterday)
    }
  })

  it('is zoomed by keys and by dragging, keeps what is chosen in the address, and goes back', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/usage?span=7d&metric=response.status&by=label')
    await page.waitForSelector('.chart-legend >> text=503')
    const chart = page.getByRole('application')
    await chart.focus()
    for (const key of ['Home', 'ArrowRight', 'Shift+End', 'Shift+ArrowLeft', 'Enter'])
      await page.keyboard.press(key)
    await page.waitForURL(/zoom=/)
    await page.waitForSelector('.zoomed')
    await page.getByLabel('What is counted').selectOption('request.count')
    await page.reload()
    await page.waitForSelector('.zoomed')
    assert.equal(await page.getByLabel('What is counted').inputValue(), 'request.count')
    await page.waitForSelector('.plot canvas')
    const box = await chart.boundingBox()
    assert.ok(box)
    const before = page.url()
    await page.mouse.move(box.x + 300, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + 600, box.y + 120, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL((url) => url.href !== before)
    await page.goBack()
    assert.equal(page.url(), before)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.waitForURL((url) => !url.search.includes('zoom'))
    assert.deepEqual(shown.faults, [])
  })

  it('shows days of 23 and 25 hours where clocks are set, and says so', async (t) => {
    const shown = await showPages(t, server, { timezoneId: 'Europe/Zurich' })
    const { page } = shown
    await shown.signIn('/app/usage?span=range&from=2026-10-20&to=2026-10-30')
    await page.waitForSelector('text=Times of Europe/Zurich')
    await page.waitForSelector('text=Sun, Oct 25 has 25 hours')
    await page.getByRole('button', { name: 'Requests a day, as a table' }).click()
    const cells = await tableCells(page)
    const from = Date.parse('2026-10-24T22:00:00Z')
    const row = cells.find(([day]) => day?.startsWith('Sun, Oct 25')) ?? []
    assert.equal(Number(row[1]), await sumOf('request.count', from, from + 25 * hourMs))
    assert.deepEqual(shown.faults, [])
  })

  it('shows what is true again after the server was killed', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/app/usage')
    await shown.page.waitForSelector('.plot canvas')
    await server.kill()
    await shown.page.click('text=12 months')
    await shown.page.waitForSelector('text=The server does not answer.')
    await server.start()
    await shown.page.reload()
    await shown.page.waitForSelector('.plot canvas')
    assert.match(shown.page.url(), /span=12m/)
  })

  it('tells each exception with its request, whatever stands in it, by keyboard', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/usage')
    const panel = page.getByRole('region', { name: 'Exceptions', exact: true })
    await panel.getByRole('button', { name: /StoreAway/ }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    for (const text of [
      `message ${hostile}`,
      'GET maps.example.org /tiles/a',
      '503',
      'QGIS/3.40',
      'at stack',
    ])
      await dialog.getByText(text).first().waitFor()
    await expectSoundIn(shown, 'usage-exception', [
      [1440, 'light'],
      [390, 'dark'],
    ])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.ok(await panel.getByRole('button', { name: /StoreAway/ }).evaluate((one) => one.matches(':focus')))
    await panel.getByRole('button', { name: /Odd/ }).click()
    await dialog.getByText('no request did this').waitFor()
    await expectSoundIn(shown, 'usage-odd', [
      [390, 'light'],
      [1440, 'dark'],
    ])
    assert.deepEqual(shown.faults, [])
  })

  it('is whole at each width, light and dark', async (t) => {
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn('/app/usage?by=layer')
    await shown.page.waitForSelector('.rank >> text=default:countries')
    await shown.page.waitForSelector('.plot canvas')
    await expectSoundIn(shown, 'usage', [
      [1440, 'dark'],
      [768, 'light'],
      [390, 'light'],
      [390, 'dark'],
    ])
  })

  it('shows a user what may be read, and leaves out what staff alone sees', async (t) => {
    const user = { name: 'reader', password, role: 'user' }
    await askServer(server, '/rest/security/users', { user })
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.open('/app/sign-in?to=%2Fapp%2Fusage')
    await page.fill('input[name=user]', user.name)
    await page.fill('input[name=password]', user.password)
    await page.click('main button[type=submit]')
    await page.waitForSelector('.plot canvas')
    await page.waitForSelector('text=Staff sees each exception with its request.')
    assert.equal(await page.getByRole('link', { name: 'Alert', exact: true }).count(), 0)
    await shown.open('/app/alerts/1')
    await page.waitForSelector('text=Staff sees whom an alert tells, and changes it.')
    assert.equal(await page.locator('.sentence').count(), 0)
    await expectSound(shown, 'alerts-1440-user')
  })

  it('asks an anonymous visitor to sign in', async (t) => {
    const shown = await showPages(t, server)
    await shown.open('/app/usage')
    await shown.page.waitForURL(/\/app\/sign-in\?to=%2Fapp%2Fusage/)
    assert.deepEqual(shown.faults, [])
  })
})

describe('the page of usage of a server that has counted nothing', async () => {
  const server = await startPageServer({ after }, { TERRANE_SAMPLE: 'off' })
  after(closeBrowser)

  it('says so, and what to do', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn('/app/usage')
    await shown.page.waitForSelector('text=0 requests today.')
    await shown.page.waitForSelector('.panel >> text=localhost-app')
    await expectSound(shown, 'usage-1440-empty')
  })
})

/** Returns the cells of the rows of a chart, as soon as they exist. */
async function tableCells(page: Page): Promise<string[][]> {
  const rows = page.locator('.chart-rows tbody tr')
  await rows.first().waitFor()
  return (await rows.allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()))
}

function caught(now: number): NonNullable<Fed['exceptions']> {
  const time = new Date(now - dayMs).toISOString()
  const more = { path: '/tiles/a', status: 503, userAgent: 'QGIS/3.40', errorType: 'StoreAway' }
  return [
    {
      created: now - dayMs,
      errorType: 'StoreAway',
      message: `message ${hostile}`,

      stack: `at stack ${'x'.repeat(30_000)}\n${hostile}`,
      request: requestAt(time, { serviceId: 1, ...more }),
    },
    { created: now - 2 * dayMs, errorType: `Odd ${hostile}`, message: 'no request did this', stack: '' },
  ]
}

/** Requests of the two months before, of several layers, countries and programs; some fail. */
function pastDays(now: number): Fed {
  const requests: Fed['requests'] = []
  for (let day = 1; day < 62; day += 1)
    for (let at = 0; at < 10 + ((day * 7) % 23); at += 1)
      requests.push({
        time: now - day * dayMs + at * 1_500_000,
        more: {
          resources: [{ type: 'layer', name: layers[at % layers.length] ?? '' }],
          status: at % 11 === 0 ? 503 : 200,
          errorType: at % 11 === 0 ? 'StoreAway' : null,
          country: at % 2 === 0 ? 'CHE' : 'DEU',
          userAgentFamily: at % 5 === 0 ? 'QGIS' : 'Firefox',
        },
      })
  return { requests, exceptions: caught(now), readings: [now - 40 * dayMs, now - 3 * dayMs] }
}
