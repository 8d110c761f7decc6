"""Works out shuffles.json from rules §10 alone: python3 shuffles.py > shuffles.json"""
import hashlib, hmac, json

codes=[r+s for r in "A23456789TJQK" for s in "CDHS"]+["XB","XR"]
def chain(root):
    s=[None]*1001; s[1000]=root
    for k in range(1000,0,-1): s[k-1]=hashlib.sha256(s[k]).digest()
    return s
class Stream:
    def __init__(s,seed,mid,k,label,cs):
        s.seed=seed; s.m="yaniv-shuffle/1\n%s\n%d\n%s\n%s\n"%(mid,k,label,",".join(cs)); s.i=0; s.w=[]
    def word(s):
        if not s.w:
            b=hmac.new(s.seed,(s.m+str(s.i)).encode(),hashlib.sha256).digest(); s.i+=1
            s.w=[int.from_bytes(b[j:j+4],'big') for j in range(0,32,4)]
        return s.w.pop(0)
    def uniform(s,n):
        lim=(2**32//n)*n
        while True:
            w=s.word()
            if w<lim: return w%n
def shuffle(st,xs):
    xs=list(xs)
    for i in range(len(xs)-1,0,-1):
        j=st.uniform(i+1); xs[i],xs[j]=xs[j],xs[i]
    return xs
out=[]
def case(root,mid,cs,packs,players,hand,first):
    s=chain(root)
    pack=[c for c in codes for _ in range(packs)]
    starter=Stream(s[1],mid,1,"starter",cs).uniform(players)
    order=shuffle(Stream(s[1],mid,1,"seats",cs),range(players))
    deck=shuffle(Stream(s[1],mid,1,"deal",cs),pack)
    seats=[(starter+i)%players for i in range(players)]
    hands=[[] for _ in range(players)]
    d=list(deck)
    for _ in range(hand):
        for q in seats: hands[q].append(d.pop(0))
    up=d.pop(0)
    return {"root":root.hex(),"match_id":mid,"client_seeds":cs,"decks":packs,"hand_size":hand,"commitment":s[0].hex(),"s1":s[1].hex(),"s500":s[500].hex(),"s999":s[999].hex(),"starter":starter,"seats":order,"hands":hands,"upcard":up,"stock":d}
out.append(case(bytes(range(32)),"m",["",""],1,2,5,0))
out.append(case(bytes([255]*32),"0192f0c1-7c5a-7d3e-8a7b-0123456789ab",["seed-0","","a b~!"],1,3,5,0))
out.append(case(hashlib.sha256(b"yaniv").digest(),"e638bca46bd70d89987fc91e855cdff8",["x"*64]*8,4,8,7,0))
out.append(case(hashlib.sha256(b"two").digest(),"another",["","b","c","d","e","f","g","h","i","j"],2,10,6,0))
print(json.dumps(out, indent=1))
