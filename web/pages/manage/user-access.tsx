import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { shownDay } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { Resource } from '../../lib/resource.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { closeDialog } from './row-acts.tsx'

type Token = Calls['GET /rest/security/users/{name}/tokens']['answer']['tokens'][number]

interface Access {
  tokens: Token[]
  sessions: number
}

async function ask(path: string, signal: AbortSignal): Promise<Access> {
  const [{ tokens }, { dependents }] = await Promise.all([
    call<{ tokens: Token[] }>({ path: `${path}/tokens` }, signal),
    call<{ dependents: { sessions: number } }>({ path: `${path}/dependents` }, signal),
  ])
  return { tokens, sessions: dependents.sessions }
}

/** Sessions and tokens of a user; `path`: their endpoint. Each can be ended. */
export function UserAccess({ name, path }: { name: string; path: string }) {
  const texts = manageTexts.value.access
  const known = useMemo(() => new Resource((signal) => ask(path, signal)), [path])
  useEffect(() => {
    void known.load()
    return () => known.stop()
  }, [known])
  const { value, error } = known.state.value
  const [refusal, setRefusal] = useState<unknown>()
  const end = async (requested: Call, output: string): Promise<void> => {
    setRefusal(undefined)
    try {
      await call(requested)
      say(output)
      await known.load()
    } catch (reason) {
      setRefusal(reason)
    }
  }
  const logout: Call = { method: 'DELETE', path: `${path}/sessions` }
  return (
    <Dialog title={texts.title(name)} onClose={closeDialog}>
      <div class="stack">
        {value === undefined && error === undefined && (
          <p class="dim" role="status">
            {texts.looking}
          </p>
        )}
        {error !== undefined && <Failed error={error} onAgain={() => void known.load()} />}
        {value !== undefined && (
          <>
            <div class="row wrap">
              <span class="grow">{texts.sessions(value.sessions)}</span>
              {value.sessions > 0 && (
                <button type="button" class="btn sm" onClick={() => void end(logout, texts.loggedOut(name))}>
                  {texts.logOut}
                </button>
              )}
            </div>
            {value.tokens.length === 0 ? (
              <p class="dim">{texts.noTokens}</p>
            ) : (
              <TokenTable
                tokens={value.tokens}
                onRevoke={(token) =>
                  void end(
                    { method: 'DELETE', path: `${path}/tokens/${token.id}` },
                    texts.revoked(token.name),
                  )
                }
              />
            )}
          </>
        )}
        {refusal !== undefined && (
          <p class="err" role="alert">
            <Icon name="bad" />
            <span dir="auto">{reasonOf(refusal)}</span>
          </p>
        )}
        <div class="row wrap form-end">
          <CopyAsCurl call={{ path: `${path}/tokens` }} />
          <button type="button" class="btn" autofocus onClick={closeDialog}>
            {texts.close}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function TokenTable({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke(token: Token): void }) {
  const texts = manageTexts.value.access
  const day = (text: string | undefined): string => (text === undefined ? texts.never : shownDay(text))
  return (
    <section class="scroll" aria-label={texts.tokens}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.token}</th>
            <th>{texts.lastUsed}</th>
            <th>{texts.ends}</th>
            <th>
              <span class="vh">{manageTexts.value.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td dir="auto">{token.name}</td>
              <td class="nowrap" data-l={texts.lastUsed}>
                {day(token.lastUsed)}
              </td>
              <td class="nowrap" data-l={texts.ends}>
                {day(token.expires)}
              </td>
              <td class="num acts-cell">
                <button type="button" class="btn sm" onClick={() => onRevoke(token)}>
                  {texts.revoke}
                  <span class="vh"> {token.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
