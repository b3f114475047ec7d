import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { FedMonitoring } from '../support/fed-monitoring.ts'
import { placeOf, startFed } from '../support/fed-monitoring.ts'
import { writeVisitors } from '../support/many-visitors.ts'
import { databases, makeRoles } from '../support/monitoring-client.ts'

const day = '2026-11-21'
const from = Date.parse(`${day}T06:00Z`) / 1000
const visitors = { from, minutes: 240, visitorsPerMinute: 300, layersOfVisitor: 2, layers: 20 }
const rows = visitors.minutes * visitors.visitorsPerMinute * visitors.layersOfVisitor
const window = `valid_from=${day}T06:00&valid_to=${day}T10:00&interval=60`
const heavyPath = `/api/metric_data/request.users/?${window}&group_by=resource`
const lightPath = `/api/metric_data/request.count/?${window}`
const minuteMs = 60_000

type Headers = Record<string, string>

/** A response as it arrives. */
interface Arriving {
  response: IncomingMessage
  isOver(): boolean
  end: Promise<string>
}

for (const [name, environment] of Object.entries(databases)) {
  describe(`four heavy queries of one user on ${name}`, () => {
    const closers: (() => unknown)[] = []
    let fed: FedMonitoring
    let base: string
    let one: Headers
    let other: Headers

    /** Returns when the first bytes have arrived. */
    async function open(path: string, headers: Headers): Promise<Arriving> {
      const request = httpRequest(`${base}/monitoring${path}`, { headers, agent: false }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const parts: string[] = []
      let isOver = false
      const begun = Promise.withResolvers<void>()
      response.setEncoding('utf8').on('data', (part: string) => {
        parts.push(part)
        begun.resolve()
      })
      const end = once(response, 'close').then(() => {
        isOver = true
        return parts.join('')
      })
      await Promise.race([begun.promise, end])
      return { response, isOver: () => isOver, end }
    }

    async function get(path: string, headers: Headers): Promise<{ status: number; text: string }> {
      const arriving = await open(path, headers)
      return { status: arriving.response.statusCode ?? 0, text: await arriving.end }
    }

    const openFour = (): Promise<Arriving[]> =>
      Promise.all(Array.from({ length: 4 }, () => open(heavyPath, one)))
    const over = (four: readonly Arriving[]): number => four.filter((answer) => answer.isOver()).length

    before(async () => {
      fed = await startFed({ after: (close) => closers.push(close as () => unknown) }, await environment())
      const { user, staff } = await makeRoles(fed.server)
      one = user
      other = staff
      await fed.server.app.listen({ host: '127.0.0.1', port: 0 })
      base = `http://127.0.0.1:${(fed.server.app.server.address() as AddressInfo).port}`
      const database = await openSeriesDatabase(placeOf(fed.server))
      const written = await writeVisitors(database, { ...visitors, serviceId: fed.services.mapserver })
      await database.close()
      assert.equal(written, rows)
      // Every kind of thread has started once.
      await get(lightPath, one)
      await fed.server.notifications.evaluate(fed.clock.now())
    })
    after(async () => {
      for (const close of closers) await close()
    })

    it('delay no light query, no alert, no status, and no heavy query of another user', async () => {
      const four = await openFour()
      assert.equal((await get(lightPath, one)).status, 200)
      assert.equal(over(four), 0, 'a light query of the same user waits for a heavy one')
      assert.equal((await get(lightPath, other)).status, 200)
      assert.equal(over(four), 0, 'a light query of another user waits for a heavy one')
      fed.clock.advance(minuteMs)
      await fed.server.notifications.evaluate(fed.clock.now())
      assert.equal(over(four), 0, 'the evaluation of alerts waits for a heavy query')
      fed.clock.advance(minuteMs)
      assert.equal((await get('/api/status/', one)).status, 200)
      assert.equal(over(four), 0, 'the status waits for a heavy query')
      assert.equal((await get('/api/labels/?metric_name=request.count', other)).status, 200)
      assert.equal((await get('/api/exceptions/', other)).status, 200)
      assert.equal(over(four), 0, 'a list waits for a heavy query')
      const shared = await get(heavyPath, other)
      assert.equal(shared.status, 200)
      assert.equal(over(four), 0, 'a heavy query of another user has no fair share')

      const texts = await Promise.all(four.map(({ end }) => end))
      for (const text of [...texts, shared.text]) assert.equal(text.split('"samples_count"').length - 1, rows)
      assert.equal(new Set([...texts, shared.text]).size, 1)
      assert.equal(JSON.parse(shared.text).data.data.length, visitors.minutes)
    })

    it('hold no thread while their clients read nothing', async () => {
      const four = await openFour()
      for (const { response } of four) response.pause()
      assert.equal((await get(heavyPath, other)).status, 200)
      assert.equal(over(four), 0)
      for (const { response } of four) response.destroy()
      assert.equal((await get(heavyPath, one)).status, 200, 'queries whose clients left still hold places')
    })
  })

  describe(`an answer above the limit on ${name}`, () => {
    const closers: (() => unknown)[] = []
    let fed: FedMonitoring
    before(async () => {
      const env = { ...(await environment()), TERRANE_MAX_METRIC_ROWS: String(rows - 1) }
      fed = await startFed({ after: (close) => closers.push(close as () => unknown) }, env)
      const database = await openSeriesDatabase(placeOf(fed.server))
      await writeVisitors(database, { ...visitors, serviceId: fed.services.mapserver })
      await database.close()
    })
    after(async () => {
      for (const close of closers) await close()
    })

    it('is refused with a grouping that fits, and answered where it fits by a row', async () => {
      const refused = await fed.call('GET', heavyPath)
      assert.equal(refused.status, 400, refused.text)
      assert.match(refused.text, new RegExp(`more than ${rows - 1} rows.*group_by=count_on_resource`))
      const grouped = await fed.call('GET', heavyPath.replace('=resource', '=count_on_resource'))
      assert.equal(grouped.status, 200)
      // One minute less than the whole window fits; so does the whole window if its minutes form one period.
      const shorter = await fed.call('GET', heavyPath.replace('T10:00', 'T09:59'))
      assert.equal(shorter.status, 200)
      assert.equal(
        shorter.text.split('"samples_count"').length - 1,
        (rows / visitors.minutes) * (visitors.minutes - 1),
      )
    })
  })
}
