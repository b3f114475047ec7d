import { useSignal } from '@preact/signals'
import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { shownBytes, shownMoment, shownNumber } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { useAnswer } from '../../lib/use-answer.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import type { Choices, Windows } from './choices.ts'

type Listed = Calls['GET /monitoring/api/exceptions']['answer']['exceptions'][number]
type Whole = Calls['GET /monitoring/api/exceptions/{id}']['answer']

const shownMost = 20

/** Server errors with their requests. */
export function Exceptions({ choices, windows: { window } }: { choices: Choices; windows: Windows }) {
  const texts = usageTexts.value
  const requested = exceptionsCall(choices, window)
  const answer = useAnswer(
    JSON.stringify(requested),
    (signal) => call<{ exceptions: Listed[] }>(requested, signal),
    JSON.stringify(choices),
  )
  const shown = useSignal<number | undefined>(undefined)
  const { value, error } = answer.state.value
  return (
    <section class="panel" aria-label={texts.exceptions}>
      <header>
        <h2>{texts.exceptions}</h2>
        {value?.exceptions.length === shownMost && (
          <span class="small dim">{texts.moreExceptions(shownMost)}</span>
        )}
        <CopyAsCurl call={requested} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : value.exceptions.length === 0 ? (
        <p class="body dim">{texts.noExceptions}</p>
      ) : (
        <section class="scroll" tabIndex={0} aria-label={chartTexts.value.tableOf(texts.exceptions)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.exceptionAt}</th>
                <th scope="col">{texts.exceptionKind}</th>
                <th scope="col">{texts.exceptionServer}</th>
              </tr>
            </thead>
            <tbody>
              {value.exceptions.map(({ id, created, error_type: kind, service }) => (
                <tr key={id}>
                  <td class="nowrap">{shownMoment(new Date(created))}</td>
                  <td>
                    <button
                      type="button"
                      class="btn quiet sm cut-btn"
                      aria-label={texts.showException(kind.slice(0, 100), shownMoment(new Date(created)))}
                      onClick={() => {
                        shown.value = id
                      }}
                    >
                      <span class="cut" dir="auto">
                        {kind.slice(0, 300)}
                      </span>
                    </button>
                  </td>
                  <td>
                    <span class="cell cut" dir="auto">
                      {service?.name.slice(0, 300) ?? ''}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {shown.value !== undefined && (
        <ExceptionDialog
          id={shown.value}
          onClose={() => {
            shown.value = undefined
          }}
        />
      )}
    </section>
  )
}

function exceptionsCall({ service, resource }: Choices, window: Windows['window']): Call {
  return {
    path: '/monitoring/api/exceptions',
    query: {
      valid_from: new Date(window.from).toISOString(),
      valid_to: new Date(window.to).toISOString(),
      limit: shownMost,
      service_name: service,
      resource: resource?.split(' ')[0],
    },
  }
}

function ExceptionDialog({ id, onClose }: { id: number; onClose(): void }) {
  const texts = usageTexts.value
  const requested = { path: `/monitoring/api/exceptions/${id}` }
  const answer = useAnswer(`exception ${id}`, (signal) => call<Whole>(requested, signal))
  const { value, error } = answer.state.value
  return (
    <Dialog title={value?.error_type.slice(0, 200) ?? texts.exceptions} onClose={onClose}>
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <dl class="kv exception">
            {factsOf(value).map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd dir="auto">{text}</dd>
              </div>
            ))}
          </dl>
          {value.error_data !== '' && (
            <section class="code" tabIndex={0} aria-label={texts.trace}>
              {value.error_data.slice(0, 20_000)}
            </section>
          )}
          <CopyAsCurl call={requested} />
        </>
      )}
    </Dialog>
  )
}

function factsOf({ error_message: message, created, request, service }: Whole): [string, string][] {
  const texts = usageTexts.value
  const { client, response } = request
  const { method, path, host } = request.request
  const answered = [
    response.status ?? texts.unknown,
    response.time === null ? '' : texts.milliseconds(shownNumber(response.time)),
    response.size === null ? '' : shownBytes(response.size),
    response.type ?? '',
  ]
  const from = [client.ip, client.position.country, client.position.city, client.user_agent]
  const lines: [string, string][] = [
    [texts.exceptionAt, shownMoment(new Date(created))],
    [texts.message, message],
    [texts.request, [method, host, path].filter((one) => one !== null).join(' ')],
    [texts.answered, answered.filter((one) => one !== '').join(', ')],
    [texts.client, from.filter((one) => one !== null).join(', ')],
    [texts.ofLayers, request.resources.map(({ name }) => name).join(', ')],
    [texts.exceptionServer, service?.name ?? ''],
  ]
  return lines
    .map(([name, text]): [string, string] => [name, text.slice(0, 2000)])
    .filter(([, text]) => text !== '')
}
