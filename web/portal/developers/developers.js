// Makes keys in the browser and copies texts; the forms work without it.
'use strict'
/** 2026-11-28-142203 on the clock of the browser: two keys of a user have two names. */
const fileTime = () => {
  const now = new Date()
  const two = (number) => String(number).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  return day + '-' + two(now.getHours()) + two(now.getMinutes()) + two(now.getSeconds())
}
const pemOf = (name, bytes) => {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  const lines = text.match(/.{1,64}/g).join('\n')
  return '-----BEGIN ' + name + ' KEY-----\n' + lines + '\n-----END ' + name + ' KEY-----\n'
}
for (const maker of document.querySelectorAll('[data-key-maker]')) {
  const form = maker.closest('form')
  const part = (name) => maker.querySelector('[data-' + name + ']')
  const publicKey = form.elements.pubkey
  const privateKey = maker.querySelector('textarea')
  const kept = part('kept')
  maker.hidden = false
  const make = async () => {
    try {
      const algorithm = {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      }
      const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      privateKey.value = pemOf('PRIVATE', await crypto.subtle.exportKey('pkcs8', pair.privateKey))
      publicKey.value = pemOf('PUBLIC', await crypto.subtle.exportKey('spki', pair.publicKey))
    } catch {
      part('failed').hidden = false
      return
    }
    part('made').hidden = false
    // Without the private half the key is of no use to anybody.
    kept.required = true
    const time = fileTime()
    const link = part('download')
    // The user may be named after the key is made.
    link.onclick = () => {
      const user = form.elements.id?.value || maker.dataset.user || 'key'
      link.download = maker.dataset.file.replace('{user}', user).replace('{time}', time)
    }
    link.href = URL.createObjectURL(
      new Blob([privateKey.value], { type: 'application/x-pem-file' }),
    )
  }
  part('make').addEventListener('click', () => {
    make().catch(() => (part('failed').hidden = false))
  })
  // Somebody who pastes another key has no use for the one that was made.
  publicKey.addEventListener('input', () => {
    kept.required = false
    part('made').hidden = true
    privateKey.value = ''
  })
}
if (navigator.clipboard)
  for (const button of document.querySelectorAll('[data-copy-value]'))
    button.addEventListener('click', () => {
      const { value } = document.getElementById(button.dataset.copyValue)
      navigator.clipboard.writeText(value).catch(() => {})
    })
