import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startMailServer } from '../support/mail-server.ts'
import { feedPast } from './support/counted.ts'
import { askServer, closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const api = '/monitoring/api/notifications'
const hostile = `<img src=x onerror=alert(1)> \u202Eمتر 🗺️ ${'W'.repeat(150)}`

interface Config {
  data: {
    fields: { field_name: string; current_value: string; scope: { resource: number | null } }[]
    notification: { id: number; name: string; grace_period: { seconds: number }; active: boolean }
    emails: string[]
  }
}

describe('the page of alerts', async () => {
  const mails = await startMailServer({ after })
  const server = await startPageServer({ after }, { TERRANE_SMTP_URL: mails.url })
  after(closeBrowser)
  const now = Date.now()
  await feedPast(server, {
    requests: Array.from({ length: 120 }, (_, at) => ({ time: now - (at + 2) * 600_000, more: {} })),
  })

  it('makes an alert, moves its line by keys, sends a test message, and deletes it', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/alerts')
    await page.waitForSelector('.alist >> text=Disk is nearly full')
    await expectSound(shown, 'alerts-1440-list')
    await page.click('text=New alert')
    await page.getByLabel('Name', { exact: true }).fill(hostile)
    await page.getByLabel('What it is for').fill('Somebody fetches everything')
    await page.getByLabel('What is compared').selectOption('request.count')
    await page.getByLabel('Threshold: Requests').fill('3')
    await page.getByLabel('Mail addresses').fill('a@example.org, b@example.org')
    await page.getByLabel('Layer: Requests').fill('layer=nobody:asked')
    await page.click('text=Make the alert')
    await page.waitForSelector('form [role=alert] >> text=request.count.max_value.resource')
    const { data: before } = (await askServer(server, api)) as { data: { notifications: unknown[] } }
    assert.equal(before.notifications.length, 5, 'what is refused leaves no alert')
    await page.getByLabel('Layer: Requests').fill('')
    await page.getByRole('slider').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Shift+ArrowUp')
    assert.equal(await page.getByLabel('Threshold: Requests').inputValue(), '14')
    await expectSound(shown, 'alerts-1440-new')
    await page.click('text=Make the alert')
    await page.waitForURL(/\/app\/alerts\/\d+$/)
    const id = Number(page.url().split('/').at(-1))
    const made = (await askServer(server, `${api}/config/${id}`)) as Config
    assert.equal(made.data.notification.name, hostile)
    assert.deepEqual(made.data.emails, ['a@example.org', 'b@example.org'])
    assert.deepEqual(
      made.data.fields.map((one) => [one.field_name, Number(one.current_value)]),
      [['request.count.max_value', 14]],
    )

    await page.getByLabel('Minutes between two messages').fill('240')
    await page.click('button:text-is("Save")')
    await page.waitForSelector('text=The alert is saved')
    const saved = (await askServer(server, `${api}/config/${id}`)) as Config
    assert.equal(saved.data.notification.grace_period.seconds, 14_400)

    await page.click('text=Send a test message')
    await page.waitForSelector('text=2 of 2 receivers got it.')
    assert.deepEqual(mails.mails.map(({ to }) => to).sort(), [['a@example.org'], ['b@example.org']])
    await page.keyboard.press('Escape')
    await expectSound(shown, 'alerts-1440-one')

    await server.kill()
    await page.click('text=Send a test message')
    await page.waitForSelector('dialog >> text=The server does not answer.')
    await page.keyboard.press('Escape')
    await server.start()
    await page.reload()
    await page.waitForSelector('.alist [aria-current]')
    assert.equal(await page.getByLabel('Minutes between two messages').inputValue(), '240')

    await page.click('form button:has-text("Delete")')
    await page.click('dialog button:text-is("Delete")')
    await page.waitForURL(/\/app\/alerts$/)
    const { data } = (await askServer(server, api)) as { data: { notifications: unknown[] } }
    assert.equal(data.notifications.length, 5)
  })
})
