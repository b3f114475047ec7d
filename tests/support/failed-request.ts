import { AsyncLocalStorage } from 'node:async_hooks'
import type { TestContext } from 'node:test'
import type { TestApp } from './app.ts'

/**
 * Calls `send` while each query that it makes of the catalogue throws the result of `fail`. Queries of the server's
 * timers go on.
 */
export async function failQueries<Answer>(
  test: TestContext,
  { database }: Pick<TestApp, 'database'>,
  fail: () => Error,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const isSent = new AsyncLocalStorage<boolean>()
  const { kysely } = database
  const query = kysely.selectFrom.bind(kysely)
  const broken = test.mock.method(kysely, 'selectFrom', (...from: Parameters<typeof query>) => {
    if (isSent.getStore() === true) throw fail()
    return query(...from)
  })
  try {
    // `inject` sends when it is awaited.
    return await isSent.run(true, async () => await send())
  } finally {
    broken.mock.restore()
  }
}
