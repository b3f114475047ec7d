import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Resource } from '../../lib/resource.ts'
import { accountTexts } from '../../messages/account/texts.ts'
import { canUsePasskeys } from '../../session/passkey-button.tsx'
import { type Passkey, path } from './own-factors.ts'
import { DeletePasskey, NewPasskey, PasskeyTable } from './passkeys.tsx'
import { sessions } from './sessions.tsx'
import { BeginTotp, EndTotp } from './totp.tsx'

type Reply = Calls['GET /rest/security/self/factors']['answer']

const factors = new Resource<Reply['factors']>(
  async (signal) => (await call<Reply>({ path: `${path}/factors` }, signal)).factors,
)
const reload = (): Promise<void> => factors.load()

type Opened = 'totp' | 'end-totp' | 'passkey' | Passkey

/** One-time codes and passkeys of users with a local password. */
export function Factors() {
  const texts = accountTexts.value
  useEffect(() => void factors.load(), [])
  const { value, error } = factors.state.value
  const [opened, open] = useState<Opened>()
  const close = (): void => open(undefined)
  const via = sessions.value?.find(({ current }) => current)?.via ?? 'password'
  return (
    <section class="panel" aria-label={texts.factors}>
      <header>
        <h2>{texts.factors}</h2>
        <CopyAsCurl call={{ path: `${path}/factors` }} />
      </header>
      {error !== undefined && (
        <div class="body">
          <Failed error={error} onAgain={() => void reload()} />
        </div>
      )}
      {value === undefined && error === undefined && <Loading />}
      {via !== 'password' && <p class="body dim">{texts.factorsElsewhere}</p>}
      {value !== undefined && via === 'password' && (
        <>
          <Totp isOn={value.totp} onOpen={open} />
          <div class="body stack s2 next-part">
            <h3>{texts.passkeys}</h3>
            <p class="dim small">{canUsePasskeys() ? texts.passkeysHint : texts.passkeysNeed}</p>
            {canUsePasskeys() && (
              <div class="row">
                <button type="button" class="btn" onClick={() => open('passkey')}>
                  <Icon name="key" />
                  {texts.addPasskey}
                </button>
              </div>
            )}
            {value.passkeys.length === 0 && <p class="dim">{texts.noPasskeys}</p>}
          </div>
          {value.passkeys.length > 0 && <PasskeyTable passkeys={value.passkeys} onDelete={open} />}
        </>
      )}
      {opened === 'totp' && <BeginTotp onClose={close} onDone={reload} />}
      {opened === 'end-totp' && <EndTotp onClose={close} onDone={reload} />}
      {opened === 'passkey' && <NewPasskey onClose={close} onDone={reload} />}
      {typeof opened === 'object' && <DeletePasskey passkey={opened} onClose={close} onDone={reload} />}
    </section>
  )
}

function Totp({ isOn, onOpen }: { isOn: boolean; onOpen(dialog: Opened): void }) {
  const texts = accountTexts.value
  return (
    <div class="body stack s2">
      <h3>{texts.totp}</h3>
      <p class={`st ${isOn ? 'ok' : 'off'}`}>
        <Icon name={isOn ? 'ok' : 'ban'} />
        <b>{isOn ? texts.totpOn : texts.totpOff}</b>
      </p>
      <p class="dim small">{texts.totpHint}</p>
      <div class="row">
        <button type="button" class="btn" onClick={() => onOpen(isOn ? 'end-totp' : 'totp')}>
          {isOn ? texts.endTotp : texts.beginTotp}
        </button>
      </div>
    </div>
  )
}
