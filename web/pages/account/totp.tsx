import { useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { copyText } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { say } from '../../components/toasts.tsx'
import { accountTexts } from '../../messages/account/texts.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { type FactorDialogProps, path } from './own-factors.ts'
import { QrCode } from './qr-code.tsx'

interface Secret {
  secret: string
  uri: string
}

const totpPath = `${path}/totp`

/** Switches one-time codes on: password, secret for the app, first code, recovery codes. */
export function BeginTotp({ onClose, onDone }: FactorDialogProps) {
  const texts = accountTexts.value
  const [secret, setSecret] = useState<Secret>()
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>()
  const begin = async (data: FormData): Promise<void> => {
    const body = { currentPassword: String(data.get('current')) }
    setSecret((await call<{ totp: Secret }>({ method: 'POST', path: totpPath, body })).totp)
  }
  const confirm = async (data: FormData): Promise<void> => {
    const body = { code: String(data.get('code')) }
    // A wrong code is a 401 too, which is not the end of the session.
    const requested: Call = { method: 'PUT', path: totpPath, body, isSignIn: true }
    const { totp } = await call<{ totp: { recoveryCodes: string[] } }>(requested)
    setRecoveryCodes(totp.recoveryCodes)
    await onDone()
  }
  return (
    <Dialog title={texts.beginTotp} onClose={onClose}>
      {secret === undefined && (
        <ConfirmForm key="password" act={texts.proceed} send={begin} onClose={onClose}>
          <p>{texts.totpFirst}</p>
        </ConfirmForm>
      )}
      {secret !== undefined && recoveryCodes === undefined && (
        <ConfirmForm key="code" act={texts.beginTotp} hasPassword={false} send={confirm} onClose={onClose}>
          <SecretText {...secret} />
          <Field
            label={texts.code}
            hint={texts.codeHint}
            name="code"
            autocomplete="one-time-code"
            required
            maxLength={20}
          />
        </ConfirmForm>
      )}
      {recoveryCodes !== undefined && <RecoveryCodes codes={recoveryCodes} onClose={onClose} />}
    </Dialog>
  )
}

function SecretText({ secret, uri }: Secret) {
  const texts = accountTexts.value
  return (
    <>
      <p>{texts.secretHint}</p>
      <QrCode text={uri} label={texts.qrCode} />
      <div class="code secret" data-secret={secret}>
        {secret.replace(/.{4}(?=.)/g, '$& ')}
      </div>
      <div class="row wrap">
        <button type="button" class="btn sm" onClick={() => void copyText(secret)}>
          <Icon name="copy" />
          {texts.copySecret}
        </button>
        <a class="btn sm" href={uri}>
          <Icon name="link" />
          {texts.openApp}
        </a>
      </div>
    </>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const texts = accountTexts.value
  return (
    <div class="stack">
      <p role="status">{texts.recoveryHint}</p>
      <ul class="code recovery">
        {codes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <div class="row wrap form-end">
        <button type="button" class="btn" onClick={() => void copyText(codes.join('\n'))}>
          <Icon name="copy" />
          {texts.copyCodes}
        </button>
        <button type="button" class="btn main" onClick={onClose}>
          {texts.codesKept}
        </button>
      </div>
    </div>
  )
}

/** Switches one-time codes off. */
export function EndTotp({ onClose, onDone }: FactorDialogProps) {
  const texts = accountTexts.value
  const end = async (data: FormData): Promise<void> => {
    const body = { currentPassword: String(data.get('current')) }
    await call({ method: 'DELETE', path: totpPath, body })
    say(texts.totpEnded)
    onClose()
    await onDone()
  }
  return (
    <Dialog title={texts.endTotp} onClose={onClose}>
      <ConfirmForm act={texts.endTotp} isDanger send={end} onClose={onClose}>
        <p>{texts.endTotpText}</p>
      </ConfirmForm>
    </Dialog>
  )
}
