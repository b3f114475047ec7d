import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownMoment } from '../../components/formats.ts'
import { Failed, Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { Resource } from '../../lib/resource.ts'
import { accountTexts } from '../../messages/account/texts.ts'
import { browserName } from './browser-name.ts'

type Reply = Calls['GET /rest/security/self/sessions']['answer']
type Session = Reply['sessions'][number]

const path = '/rest/security/self/sessions'

/** Own sessions, of this browser and others. */
export const sessions = new Resource<Session[]>(
  async (signal) => (await call<Reply>({ path }, signal)).sessions,
)

/** Own sessions: each can be ended, and all but the current one together. */
export function Sessions() {
  const texts = accountTexts.value
  useEffect(() => void sessions.load(), [])
  const { value, error } = sessions.state.value
  const { error: refusal, isBusy, act } = useActing()
  const end = async (ended: readonly Session[]): Promise<void> => {
    const isDone = await act(async () => {
      for (const { id } of ended) await call({ method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` })
    })
    if (isDone) say(texts.sessionsEnded(ended.length))
    await sessions.load()
  }
  const others = (value ?? []).filter(({ current }) => !current)
  return (
    <section class="panel" aria-label={texts.sessions}>
      <header>
        <h2>{texts.sessions}</h2>
        <CopyAsCurl call={{ path }} />
        {others.length > 0 && (
          <button type="button" class="btn sm" disabled={isBusy.value} onClick={() => void end(others)}>
            {texts.endOthers}
          </button>
        )}
      </header>
      {(error ?? refusal.value) !== undefined && (
        <div class="body stack s2">
          {error !== undefined && <Failed error={error} onAgain={() => void sessions.load()} />}
          <Refused error={refusal.value} />
        </div>
      )}
      {value !== undefined && <SessionTable list={value} onEnd={(one) => void end([one])} />}
    </section>
  )
}

function SessionTable({ list, onEnd }: { list: readonly Session[]; onEnd(session: Session): void }) {
  const texts = accountTexts.value
  const moment = (text: string): string => shownMoment(new Date(text))
  if (list.length === 0) return <p class="body dim">{texts.noSessions}</p>
  return (
    <div class="scroll">
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.browser}</th>
            <th>{texts.address}</th>
            <th>{texts.signedIn}</th>
            <th>{texts.ends}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => (
            <tr key={one.id}>
              <td>
                <span dir="auto" title={one.agent}>
                  {browserName(one.agent) ?? texts.otherProgram}
                </span>{' '}
                {one.current && <span class="tag acc">{texts.thisSession}</span>}
              </td>
              <td data-l={texts.address}>{one.address}</td>
              <td data-l={texts.signedIn}>
                {moment(one.created)}
                {one.via !== 'password' && ` (${one.via})`}
              </td>
              <td data-l={texts.ends}>{moment(one.expires)}</td>
              <td class="num">
                {!one.current && (
                  <button type="button" class="btn sm" onClick={() => onEnd(one)}>
                    {texts.endSession}
                    <span class="vh"> {moment(one.created)}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
