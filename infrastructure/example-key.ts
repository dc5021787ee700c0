import { createPrivateKey, sign } from 'node:crypto'

/** The key of the example on the page /docs, for whoever tries out a signature of their own: no user has it. */
const pem = `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCXpInCeAR4GFl/
qAF2nbengtu4274iQdBNzltH+9dZBrNcb+fLbxpr5Xg51+rKLwXbyHA+qHE5ANIo
jIzm6IISnPIf/I1y5jhJy3Kzkh/JpNRcto/jP55LUiPJ9Cqok4n2ihw/lVDM1gEp
t719kt0kxw7lvRvfxeXfaUOsY1Zf6eqosNFTGAqcHNVnim91nTBfBStyxUQBv6na
aWPOTAP/W0uVykH2XmXNIqF9i28z0Bhd2talaAtRF3AtDaJlXTb3SfUSn2NAY9Gc
MPlIpW9xCFPP8DuWAS3JqT/c7yykwC4TlbnlipEAp7dfBiFMV9bUHBJRVM0CEpYa
SBoxJ1QlAgMBAAECggEAJ7A0L/YacVYqImuVynY36Xspx6WXiz6/ZoXCRUJIF/BV
hDVzrL5M431g7H6y4CzTczTwD64lR/6LgnparFqhJH74Ld/7I13W0JWTVSVC9ZMS
05siaJ8vblY2sLYbbhiDTMfT4d5SEfJWxpTk3tdP0r7Yis9mWrhgVAsoX5d2NU7L
4Jn8tDEpzO7R706xT+09Aouspwbk+IG8+kdPPSqocZnKZrEmlA2NQKuFReGsAFEW
YfjQd1b5JbI1yTrBTpUuWf6kZLLJnF361Bk+nb1NOU3pf0glJjBaG6xH/hDVyVpG
lkemzQKDMhrTXfuuzYIxRWvmCvlsVwqV/xyPE1nHlwKBgQDLUGKNtvwERYHFLTVF
HbCmGPx8A1mjKCwTx1Z0lGvV/HFGm06r3TpURICV7FOcJrRteLHJbNoR5wgCMkUe
0F5crZ5AayWNQcmgl+Asg5XT+Jb6AVc9VZ1g4+0yrawnristhO0GCeVVJNzyca4B
VFUvWerfmByxtZ8OUJ7B1uQ00wKBgQC+8FczF7otTk4/KE0r20cRe1fSYu1z8x/4
bfo7wvKnuGuXG9jAT3Nnp57cDDceAwo1ud4dTNxh9Bh/LI6r/mNdnBQweziFD881
mug7iRJHh/KgSYKEag2Dz0JfnCB6UpnPFIwLpOGUafd6MX+Lekw1JKPQklFcxl3j
gYkxqyKYJwKBgHaJvYwmfbT32XteqkpLzyxoMP0U7vQjfd9iP1PlHSI79sdV0X5+
k32CGv5ONUk7f8K7tdxcbKA3dQHi0U3v6rRaPYQNdG1xR98r7XXGmlpl+5Bzq6uE
+Sb+fNMpUtAnyeDWOWNl7aHAxllMUklQJAJhiIEorMInxD6SXp1hbtglAoGAAbXP
YiLFRSCdbM1km470PQDY0YaXT+GOmMALbLubRstNE2Zpc5eClhwXPStS1w756W9H
wQVuN+ZizcjNYlb99tmuCJ0h7XctyPIhQF9C7acXEj52T89PXa3ej1Krq8zPmd46
PuR0LMsiL1MALHSk+Bji6rxUxDr2nlILs4kv3yMCgYADUQ5aJkjNuIrTwGowoqfc
B3iroPgjgNltVJDWiKinbeom0+mOoBp2wrriDFCI/n/p4XZ/vzmo+mBS4eHJRpll
r/gzjj/CtAZWRxbwY9gxPi4arRkPkL+qnGZlXV/lth3JxzU9zx2ps9T23eW9xhnY
E5Mv1qxsLZjG4b/DE5jpZQ==
-----END PRIVATE KEY-----`

const key = createPrivateKey(pem)

export const exampleKey = {
  pem,
  sign: (text: string): string => sign('sha256', Buffer.from(text), key).toString('base64'),
}
