import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { type Call, call } from '../../wire/client.ts'
import type { ImportSummary } from './wire.ts'

const listCall: Call = { path: '/rest/imports' }

/** `/app/imports`: every import that is still known, the latest first. */
export function ImportListPage() {
  const texts = importTexts.value
  const imports = useMemo(
    () => new Resource<{ imports: ImportSummary[] }>((signal) => call(listCall, signal)),
    [],
  )
  useEffect(() => {
    void imports.load()
    return () => imports.stop()
  }, [imports])
  const { value, error } = imports.state.value
  return (
    <>
      <div class="head">
        <h1>{texts.history}</h1>
        <div class="acts">
          <CopyAsCurl call={listCall} />
          <a class="btn main" href={addressOf('/app/import')}>
            {texts.startTitle}
          </a>
        </div>
      </div>
      {error !== undefined && <Failed error={error} onAgain={() => void imports.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value?.imports.length === 0 && <Empty title={texts.none}>{null}</Empty>}
      {value !== undefined && value.imports.length > 0 && (
        <div class="panel scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.startTitle}</th>
                <th scope="col">{texts.state}</th>
              </tr>
            </thead>
            <tbody>
              {value.imports.map(({ id, state }) => (
                <tr key={id}>
                  <td>
                    <a href={addressOf(`/app/imports/${id}`)}>{texts.name(id)}</a>
                  </td>
                  <td>{texts.states(state)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
