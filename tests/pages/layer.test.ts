import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { patience } from '../support/until.ts'
import { askServer, closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const path = '/app/layers/default:countries'
const drawn = '.canvas[data-drawn=yes]'

describe('the page of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('shows the layer on the background map, and what stands at a place, by pointer and by keys', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    await page.waitForSelector(drawn)
    await expectSound(shown, 'layer-1440-light')
    await clickInAfrica(page)
    await page.waitForSelector('.values >> text=SOVEREIGNT')
    await expectSound(shown, 'layer-values-1440-light')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.values', { state: 'detached' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    assert.deepEqual(shown.faults, [])
  })

  it('is told what it is for and made public, as the server says after a kill', async (t) => {
    await askServer(server, '/rest/layers/default:countries', { layer: { public: 'workspace' } }, 'PUT')
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Title').fill('Countries of the world')
    await page.getByLabel('Keywords').fill('borders, states')
    await page.getByLabel('Licence').fill('Public domain')
    await page.getByLabel('Owner').fill('Survey department')
    await page.getByLabel('Citation').fill('Survey (2026): Countries')
    await page.getByLabel('DOI').fill('doi:10.1234/Countries')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('h1 >> text=Countries of the world').waitFor()
    await page.getByRole('button', { name: 'Everyone' }).click()
    await page.locator('.facts >> text=public').waitFor()
    await page.locator('[aria-pressed=true] >> text=Everyone').waitFor()
    await server.kill()
    await server.start()
    await page.reload()
    await page.locator('.kv >> text=borders, states').waitFor()
    await page.locator('.kv >> text=Survey department').waitFor()
    await page.locator('.kv >> text=Survey (2026): Countries').waitFor()
    const doi = page.getByRole('link', { name: '10.1234/countries', exact: true })
    assert.equal(await doi.getAttribute('href'), 'https://doi.org/10.1234/countries')
    await page.locator('[aria-pressed=true] >> text=Everyone').waitFor()
    const visitor = await showPages(t, server)
    await visitor.open(path)
    await visitor.page.locator('h1 >> text=Countries of the world').waitFor()
    await visitor.page.locator('.lay-table >> text=242 rows').waitFor()
    await expectSound(visitor, 'layer-visitor-1440-light')
  })

  it('tells what somebody else has written meanwhile, and loses nothing of both', async (t) => {
    const other = (layer: object): Promise<unknown> =>
      askServer(server, '/rest/layers/default:boundary_lines', { layer }, 'PUT')
    const about = async (): Promise<Record<string, unknown>> => {
      const reply = (await askServer(server, '/rest/layers/default:boundary_lines')) as {
        layer: Record<string, unknown>
      }
      return reply.layer
    }
    const shown = await showPages(t, server)
    await shown.signIn('/app/layers/default:boundary_lines')
    const { page } = shown
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Title').fill('Mine')
    await other({ title: 'Theirs', contact: 'them@example.org' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.note.warn >> text=Theirs').waitFor()
    await page.locator('.err >> text=changed meanwhile').waitFor()
    assert.equal((await about())['title'], 'Theirs')
    assert.equal(await page.getByLabel('Title').inputValue(), 'Mine')
    await expectSound(shown, 'layer-meanwhile-1440-light')
    // A change to another field is not a conflict.
    await other({ licence: 'CC0' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('h1 >> text=Mine').waitFor()
    const { title, contact, licence } = await about()
    assert.deepEqual([title, contact, licence], ['Mine', 'them@example.org', 'CC0'])
  })
})

/** Clicks down the middle of a map of the world until values are shown. */
async function clickInAfrica(page: Page): Promise<void> {
  const canvas = page.locator('.lay-map canvas')
  const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {}
  const values = page.locator('.values')
  const hasTime = patience()
  for (let share = 0.4, isShown = false; !isShown && hasTime(); share = share < 0.75 ? share + 0.05 : 0.4) {
    // The values of an earlier click may appear late and lie over the map: then they are what is awaited.
    await canvas
      .click({ position: { x: width * 0.54, y: height * share }, timeout: 5000 })
      .catch(() => undefined)
    isShown = await values.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    )
  }
}
