import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl, copyText } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { shownDay } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { Resource } from '../../lib/resource.ts'
import { accountTexts } from '../../messages/account/texts.ts'
import { limitsOf, limitsText, TokenLimits } from './token-limits.tsx'

type Token = Calls['GET /rest/security/tokens']['answer']['tokens'][number]

const path = '/rest/security/tokens'
const tokens = new Resource<Token[]>(
  async (signal) => (await call<Calls['GET /rest/security/tokens']['answer']>({ path }, signal)).tokens,
)

/** Own tokens: made, shown once, revoked. */
export function Tokens() {
  const texts = accountTexts.value
  const [made, setMade] = useState<Token>()
  useEffect(() => {
    void tokens.load()
  }, [])
  const { value, error } = tokens.state.value
  return (
    <section class="panel">
      <header>
        <h2>{texts.tokens}</h2>
        <CopyAsCurl call={{ path }} />
      </header>
      <div class="body stack">
        <p class="dim small">{texts.tokensHint}</p>
        <NewToken onMade={setMade} />
        {made !== undefined && <Made token={made} />}
        {error !== undefined && <Failed error={error} onAgain={() => void tokens.load()} />}
        {value?.length === 0 && <p class="dim">{texts.noTokens}</p>}
      </div>
      {value !== undefined && value.length > 0 && <TokenTable tokens={value} />}
    </section>
  )
}

function NewToken({ onMade }: { onMade(token: Token): void }) {
  const texts = accountTexts.value
  const [error, setError] = useState<string>()
  const [count, setCount] = useState(0)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const data = new FormData(form)
    const expires = String(data.get('expires'))
    const token = {
      name: String(data.get('name')),
      expires: expires === '' ? undefined : expires,
      ...limitsOf(data),
    }
    try {
      const made = await call<{ token: Token }>({ method: 'POST', path, body: { token } })
      onMade(made.token)
      form.reset()
      // The limits of the next token begin anew.
      setCount((before) => before + 1)
      setError(undefined)
      await tokens.load()
    } catch (failure) {
      setError(reasonOf(failure))
    }
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="g3">
        <Field
          label={texts.tokenName}
          hint={texts.tokenNameHint}
          error={error}
          name="name"
          required
          maxLength={100}
        />
        <Field label={texts.tokenExpires} hint={texts.tokenNoEnd} name="expires" type="date" />
      </div>
      <TokenLimits key={count} />
      <button type="submit" class="btn">
        <Icon name="key" />
        {texts.createToken}
      </button>
    </form>
  )
}

/** The token, which the server sends only once. */
function Made({ token: { name, value = '' } }: { token: Token }) {
  const texts = accountTexts.value
  return (
    <div class="note ok" role="status">
      <Icon name="ok" />
      <div class="stack s2">
        <b dir="auto">{texts.tokenMade(name)}</b>
        <div class="code">{value}</div>
        <div class="row">
          <button type="button" class="btn sm" onClick={() => void copyText(value)}>
            <Icon name="copy" />
            {texts.copyToken}
          </button>
        </div>
      </div>
    </div>
  )
}

function TokenTable({ tokens: list }: { tokens: Token[] }) {
  const texts = accountTexts.value
  const [requested, ask] = useState<Token>()
  const day = (text: string | undefined): string => (text === undefined ? texts.never : shownDay(text))
  return (
    <section class="scroll" aria-label={texts.tokens}>
      <table class="tokens rowcards">
        <thead>
          <tr>
            <th>{texts.tokenName}</th>
            <th>{texts.may}</th>
            <th>{texts.created}</th>
            <th>{texts.lastUsed}</th>
            <th>{texts.ends}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((token) => (
            <tr key={token.id}>
              <td dir="auto">{token.name}</td>
              <td data-l={texts.may} dir="auto">
                {limitsText(token)}
              </td>
              <td data-l={texts.created}>{day(token.created)}</td>
              <td data-l={texts.lastUsed}>{day(token.lastUsed)}</td>
              <td data-l={texts.ends}>{day(token.expires)}</td>
              <td class="num">
                <button type="button" class="btn sm" onClick={() => ask(token)}>
                  {texts.revoke}
                  <span class="vh"> {token.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {requested !== undefined && <Revoke token={requested} onDone={() => ask(undefined)} />}
    </section>
  )
}

function Revoke({ token: { id, name }, onDone }: { token: Token; onDone(): void }) {
  const texts = accountTexts.value
  const revoke = async (): Promise<void> => {
    try {
      await call({ method: 'DELETE', path: `${path}/${id}` })
      say(texts.revoked(name))
      await tokens.load()
    } catch (error) {
      say(reasonOf(error))
    }
    onDone()
  }
  return (
    <Dialog title={texts.revokeTitle(name)} onClose={onDone}>
      <div class="stack">
        <p>{texts.revokeText}</p>
        <div class="row wrap">
          <button type="button" class="btn" autofocus onClick={onDone}>
            {texts.keep}
          </button>
          <button type="button" class="btn danger" onClick={() => void revoke()}>
            <Icon name="trash" />
            {texts.revoke}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
