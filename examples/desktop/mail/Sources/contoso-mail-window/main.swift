// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import Glibc

GTKMainActor.start()
let application = MailApplication()
exit(application.run())
