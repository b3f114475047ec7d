import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MatrixModel } from '../../support/access-matrix/expected-outcome.ts'
import type { SentRequest } from '../../support/access-matrix/matrix-requests.ts'
import { operationRequests, serviceRequests } from '../../support/access-matrix/matrix-requests.ts'
import type { HeaderedCaller, MatrixIds } from '../../support/access-matrix/matrix-world.ts'
import {
  makeMatrixWorld,
  matrixModelWorld,
  matrixSettings,
} from '../../support/access-matrix/matrix-world.ts'
import type { MatrixResult } from '../../support/access-matrix/run-matrix.ts'
import { runMatrix } from '../../support/access-matrix/run-matrix.ts'
import type { Json } from '../../support/importer-client.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const model = new MatrixModel(matrixModelWorld)

function adminOf(callers: readonly HeaderedCaller[]): HeaderedCaller {
  return callers.find(({ id }) => id === 'matrix-admin') ?? assert.fail()
}

function assertNoFault({ faults, unusable }: MatrixResult): void {
  assert.deepEqual(unusable, [], 'an administrator may send each request')
  assert.deepEqual(faults, [])
}

describe('each operation by HTTP as each kind of caller', () => {
  const closers: (() => void)[] = []
  let server: TestServer
  let callers: HeaderedCaller[]
  let ids: MatrixIds
  let document: Json

  before(async () => {
    const cleanup = { after: (work: () => void) => void closers.push(work) }
    server = await startServer(cleanup, temporaryData(cleanup), matrixSettings)
    const world = await makeMatrixWorld(server)
    callers = world.callers
    ids = world.ids
    document = (await server.call('GET', '/openapi.json')).json
  })
  after(async () => {
    await server?.stop()
    for (const close of closers) close()
  })

  const run = (requests: readonly SentRequest[]): Promise<MatrixResult> =>
    runMatrix({ servers: [server], model, admin: adminOf(callers) }, requests, callers)

  it('has the class of answer that the model says, for the operations of the OpenAPI document', async (t) => {
    const { requests, unknown } = operationRequests(document, ids)
    assert.deepEqual(unknown, [], 'operations without a line in operation-needs.ts')
    assert.ok(requests.length > 400, `${requests.length} requests`)
    const result = await run(requests)
    t.diagnostic(`${requests.length} requests as ${callers.length} callers, ${result.sent} sent`)
    assertNoFault(result)
  })

  it('has the class of answer that the model says, for the requests of OGC services', async (t) => {
    const requests = serviceRequests()
    const result = await run(requests)
    t.diagnostic(`${requests.length} requests as ${callers.length} callers, ${result.sent} sent`)
    assertNoFault(result)
  })
})
