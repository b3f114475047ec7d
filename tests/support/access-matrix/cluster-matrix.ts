import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeSharedPlace } from '../cluster.ts'
import { seededNumbers } from '../seeded-numbers.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import { MatrixModel } from './expected-outcome.ts'
import { operationRequests, serviceRequests } from './matrix-requests.ts'
import type { HeaderedCaller, MatrixIds } from './matrix-world.ts'
import { makeMatrixWorld, matrixModelWorld, matrixSettings } from './matrix-world.ts'
import { runMatrix } from './run-matrix.ts'

const seed = 31

/**
 * Describes a sample of `tests/release/access/http-matrix.test.ts` on PostgreSQL, sent to two servers in turn: one of so many
 * requests is sent.
 */
export function describeClusterMatrix(sampled: number): void {
  describe('a sample of the operations on two servers with one PostgreSQL catalogue', () => {
    const closers: (() => void)[] = []
    const servers: TestServer[] = []
    let callers: HeaderedCaller[]
    let ids: MatrixIds

    before(async () => {
      const cleanup = { after: (work: () => void) => void closers.push(work) }
      const place = await makeSharedPlace(cleanup)
      for (const _ of [1, 2])
        servers.push(await startServer(cleanup, place.dataDir, { ...place.env, ...matrixSettings }))
      const world = await makeMatrixWorld(servers[0] ?? assert.fail())
      callers = world.callers
      ids = world.ids
    })
    after(async () => {
      await Promise.all(servers.map((server) => server.stop()))
      for (const close of closers) close()
    })

    it('has the class of answer that the model says', async (t) => {
      const [first] = servers
      const document = (await first?.call('GET', '/openapi.json'))?.json ?? assert.fail()
      const random = seededNumbers(seed)
      const all = [...operationRequests(document, ids).requests, ...serviceRequests()]
      const requests = all.filter(() => random() < 1 / sampled)
      const admin = callers.find(({ id }) => id === 'matrix-admin') ?? assert.fail()
      const model = new MatrixModel(matrixModelWorld)
      const { faults, unusable, sent } = await runMatrix({ servers, model, admin }, requests, callers)
      t.diagnostic(`${requests.length} requests as ${callers.length} callers, ${sent} sent`)
      assert.deepEqual(unusable, [])
      assert.deepEqual(faults, [])
    })

    it('has a change of permissions at the next request on the other server', async () => {
      const [first, second] = servers
      const reader = callers.find(({ id }) => id === 'nobody') ?? assert.fail()
      const status = async (): Promise<number> =>
        (await fetch(`${second?.url}/rest/layers/town:trees`, { headers: reader.headers })).status
      for (let round = 0; round < 5; round += 1) {
        assert.equal(await status(), 404)
        const made = await first?.call('POST', '/rest/security/permissions', {
          permission: { subject: { user: 'nobody' }, resource: 'town:trees', actions: ['read'] },
        })
        assert.equal(made?.status, 201, made?.text)
        assert.equal(await status(), 200)
        await first?.call('DELETE', `/rest/security/permissions/${made?.json.permission?.id}`)
      }
    })
  })
}
