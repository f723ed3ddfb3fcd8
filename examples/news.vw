shared 'e1 |User device=phone hour:0.25
|Article politics
0:-1:0.7 |Article sports

shared 'e2 |User device=desktop hour:0.5
0:0:0.8 |Article politics
|Article sports
|Article music

shared 'e3 |User device=phone hour:0.75
|Article music
0:0:0 |Article sports
