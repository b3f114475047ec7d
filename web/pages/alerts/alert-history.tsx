import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Resource } from '../../lib/resource.ts'
import { alertTexts } from '../../messages/alerts/texts.ts'
import type { Delivery } from './types.ts'
import { configPath } from './types.ts'

const shownMost = 50
const icons: Record<Delivery['state'], [icon: string, kind: string]> = {
  sent: ['ok', 'ok'],
  pending: ['clock', ''],
  failed: ['bad', 'bad'],
  dropped: ['minus', 'off'],
}

/** Notifications of an alert, with receivers and results. */
export function AlertHistory({ id }: { id: number }) {
  const texts = alertTexts.value
  const requested = { path: `${configPath(id)}/deliveries`, query: { limit: shownMost } }
  const answer = useMemo(
    () =>
      new Resource<Delivery[]>(
        async (signal) =>
          (await call<{ data: { deliveries: Delivery[] } }>(requested, signal)).data.deliveries,
      ),
    [id],
  )
  useEffect(() => {
    void answer.load()
    return () => answer.stop()
  }, [answer])
  const { value, error } = answer.state.value
  return (
    <section class="panel" aria-label={texts.history}>
      <header>
        <h2>{texts.history}</h2>
        <CopyAsCurl call={requested} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : value.length === 0 ? (
        <p class="body dim">{texts.noHistory}</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                {[texts.at, texts.what, texts.whom, texts.became].map((one) => (
                  <th key={one} scope="col">
                    {one}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.map(({ id: one, created, kind, receiver, state, error: reason }) => (
                <tr key={one}>
                  <td class="nowrap">{shownMoment(new Date(created))}</td>
                  <td>{texts.kinds[kind]}</td>
                  <td dir="auto">{receiver.slice(0, 300)}</td>
                  <td>
                    <span class={`st ${icons[state][1]}`}>
                      <Icon name={icons[state][0]} />
                      {texts.states[state]}
                    </span>
                    {reason !== null && (
                      <p class="small dim" dir="auto">
                        {reason.slice(0, 1000)}
                      </p>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
